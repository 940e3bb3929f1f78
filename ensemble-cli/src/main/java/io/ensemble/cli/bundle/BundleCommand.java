package io.ensemble.cli.bundle;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.check.diagnostics.BundleEntries;
import io.ensemble.check.diagnostics.SecretFilter;
import io.ensemble.check.federation.FederationDescriptor;
import io.ensemble.check.federation.FederationFile;
import io.ensemble.check.federation.SiteDescriptor;
import io.ensemble.check.federation.SitesInCatalog;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.check.process.JsonOutput;
import io.ensemble.cli.option.FederationOption;
import io.ensemble.cli.output.CommandErrors;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.cli.output.VersionProvider;
import io.ensemble.testkit.process.NodeDisk;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "bundle",
    description = {
      "Collect diagnostics of a federation into an archive, without secrets.",
      "Versions, the sites and the configuration, the report of 'doctor', all caches, changes, and "
          + "of a service on this machine: metrics, state, log and threads. What cannot be "
          + "collected is named in the archive. Keys and values of entries are not collected; "
          + "names of sites, caches, hosts, files and users are."
    })
public final class BundleCommand implements Callable<Integer> {

  private static final int LOG_BYTES = 512 << 10;
  private static final int MOST_CACHES = 500;

  /** A site that hangs costs ten seconds for each cache. */
  private static final Duration LONGEST_CACHES = Duration.ofMinutes(2);

  private static final String MANIFEST = "manifest.json";

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin FederationOption federation = new FederationOption();

  @Option(
      names = "--out",
      required = true,
      paramLabel = "FILE",
      description = "The archive to write (ZIP); it must not exist. Only its owner can read it.")
  Path out = Path.of("bundle.zip");

  @Option(
      names = "--rest",
      paramLabel = "URL",
      description = "A REST service of the federation, for its metrics and its state.")
  @Nullable String rest;

  @Option(
      names = "--rest-token-file",
      paramLabel = "FILE",
      description = "The file of the token for --rest; default: that of 'up'.")
  @Nullable Path tokenFile;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "Data directory of a federation on this machine, as given to 'up'.")
  @Nullable Path data;

  /** The end of the command. */
  private record Result(String file, List<String> entries, List<String> notes) {}

  @Override
  public Integer call() {
    if (Files.exists(out)) {
      throw new CommandException(ExitCode.USAGE, "the file exists: " + out);
    }
    List<String> target = target();
    String address = federation.address();
    FederationDescriptor described = federation.isCatalogNamed() ? null : federation.file().read();
    SecretFinder secrets = secrets(address, described);
    BundleEntries bundle = new BundleEntries(new SecretFilter(secrets.secrets()));
    collect(bundle, target, address, described);
    bundle.add(MANIFEST, json(manifest(bundle)));
    try {
      BundleFile.write(out, bundle.entries());
    } catch (FileAlreadyExistsException e) {
      throw new CommandException("the file exists: " + out, e);
    } catch (IOException e) {
      throw new CommandException("cannot write %s: %s".formatted(out, e.getMessage()), e);
    }
    Result result =
        new Result(out.toString(), List.copyOf(bundle.entries().keySet()), bundle.notes());
    reporting.report(
        result,
        writer -> {
          writer.println("written: %s, %d entries".formatted(out, result.entries().size()));
          result.notes().forEach(note -> writer.println("missing: " + note));
        });
    return ExitCode.OK;
  }

  /** The options that name the federation, for the commands that are run. */
  private List<String> target() {
    return federation.isCatalogNamed()
        ? List.of("--catalog", federation.address())
        : List.of("--federation", federation.file().path().toString());
  }

  private SecretFinder secrets(String address, @Nullable FederationDescriptor described) {
    SecretFinder secrets = new SecretFinder(System.getenv());
    secrets.addCatalog(address);
    if (described != null) {
      described.sites().forEach(secrets::addSite);
      secrets.addFile(federation.file().restToken().toString());
    }
    try {
      SitesInCatalog.state(address).sites().forEach(secrets::addSite);
    } catch (RuntimeException unreadable) {
      // Then no text of it is collected either.
    }
    if (tokenFile != null) {
      secrets.addFile(tokenFile.toString());
    }
    if (data != null) {
      secrets.addDirectory(data.resolve("keys"));
    }
    return secrets;
  }

  private void collect(
      BundleEntries bundle,
      List<String> target,
      String address,
      @Nullable FederationDescriptor described) {
    bundle.add("configuration/environment.json", json(environment()));
    if (described != null) {
      bundle.add("configuration/federation.json", json(sites(described)));
    }
    command(bundle, "doctor.json", target, "doctor");
    command(bundle, "sites.json", target, "sites");
    command(bundle, "configuration/catalog.json", target, "sites", "list");
    command(bundle, "changes.json", target, "migrations", "list");
    caches(bundle, target);
    service(bundle);
    if (described != null) {
      process(bundle, described);
    }
    nodes(bundle);
  }

  /** Only fields that hold no secret: those of the sites file that name one hold a reference. */
  private static Map<String, Object> sites(FederationDescriptor described) {
    List<SiteDescriptor> sites = described.sites();
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("process", described.pid());
    all.put("catalog", described.catalog());
    all.put("sites", sites);
    return all;
  }

  private static Map<String, Object> environment() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("program", List.of(new VersionProvider().getVersion()));
    all.put(
        "java_vm",
        System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"));
    all.put(
        "system",
        "%s %s %s"
            .formatted(
                System.getProperty("os.name"),
                System.getProperty("os.version"),
                System.getProperty("os.arch")));
    all.put("processors", Runtime.getRuntime().availableProcessors());
    all.put("time", Instant.now().toString());
    Map<String, String> variables = new TreeMap<>();
    System.getenv().keySet().stream()
        .filter(name -> name.startsWith("ENSEMBLE_") || name.equals("JAVA_HOME"))
        .forEach(name -> variables.put(name, "(set)")); // Options for Java may hold passwords.
    all.put("variables", variables);
    return all;
  }

  private CommandOutput run(List<String> target, List<String> words) {
    List<String> arguments = new ArrayList<>(words);
    arguments.add("--json");
    arguments.addAll(target);
    return CommandOutput.of(reporting.spec(), arguments);
  }

  private void command(BundleEntries bundle, String entry, List<String> target, String... words) {
    CommandOutput ran = run(target, List.of(words));
    bundle.add(entry, ran.out());
    if (ran.code() != ExitCode.OK && ran.out().contains("\"exit_code\"")) {
      bundle.addNote("%s: the command failed".formatted(entry));
    }
  }

  private void caches(BundleEntries bundle, List<String> target) {
    CommandOutput list = run(target, List.of("caches", "list"));
    bundle.add("caches.json", list.out());
    List<String> names = new ArrayList<>();
    try {
      JsonNode all = JsonOutput.mapper().readTree(list.out());
      all.path("caches").forEach(cache -> names.add(cache.path("name").asText()));
      all.path("distributed").forEach(cache -> names.add(cache.path("name").asText()));
    } catch (JsonProcessingException e) {
      bundle.addNote("caches: the list cannot be read");
    }
    long end = System.nanoTime() + LONGEST_CACHES.toNanos();
    int described = 0;
    for (String name : names) {
      if (described == MOST_CACHES || System.nanoTime() > end) {
        bundle.addNote("caches: only %d of %d are described".formatted(described, names.size()));
        break;
      }
      bundle.add(
          "caches/%s.json".formatted(BundleEntries.safeName(name)),
          run(target, List.of("caches", "describe", name)).out());
      described++;
    }
  }

  private void service(BundleEntries bundle) {
    String service = rest;
    if (service == null) {
      bundle.addNote("service: no --rest is given, so there are no metrics and no events");
      return;
    }
    String token = token(service);
    Map.of(
            "service/metrics.txt", "/metrics",
            "service/state.json", "/federation",
            "service/ready.json", "/health/ready")
        .forEach(
            (entry, path) -> {
              try {
                bundle.add(entry, ServiceState.get(service, path, token));
              } catch (IOException | CommandException e) {
                bundle.addNote("%s: %s".formatted(entry, CommandErrors.line(e)));
              }
            });
  }

  /** The default token is that of a service on this machine, and no other one gets it. */
  private @Nullable String token(String service) {
    Path file = tokenFile;
    if (file == null && !federation.isCatalogNamed() && ServiceState.isLocal(service)) {
      file = federation.file().restToken();
    }
    try {
      return file == null || !Files.exists(file) ? null : Files.readString(file, UTF_8).strip();
    } catch (IOException e) {
      throw new CommandException("cannot read " + file, e);
    }
  }

  private void process(BundleEntries bundle, FederationDescriptor described) {
    FederationFile file = federation.file();
    log(bundle, "service/log.txt", file.log());
    if (described.pid() == 0) {
      bundle.addNote("service/threads.txt: the file of the federation names no process");
      return;
    }
    try {
      bundle.add("service/threads.txt", ServiceState.threads(described.pid()));
    } catch (IOException e) {
      bundle.addNote("service/threads.txt: " + CommandErrors.line(e));
    }
  }

  private void nodes(BundleEntries bundle) {
    Path directory = data;
    if (directory == null) {
      return;
    }
    NodeDisk.in(directory)
        .forEach(
            node ->
                log(
                    bundle,
                    "nodes/%s-%d.txt".formatted(BundleEntries.safeName(node.site()), node.node()),
                    node.directory().resolve("log").resolve("server.log")));
  }

  /** The end of a log. */
  private static void log(BundleEntries bundle, String entry, Path file) {
    if (!Files.isRegularFile(file)) {
      bundle.addNote("%s: there is no file %s".formatted(entry, file));
      return;
    }
    try (RandomAccessFile log = new RandomAccessFile(file.toFile(), "r")) {
      long begin = Math.max(0, log.length() - LOG_BYTES);
      byte[] bytes = new byte[(int) Math.min(LOG_BYTES, log.length() - begin)];
      log.seek(begin);
      log.readFully(bytes);
      String text = new String(bytes, UTF_8);
      bundle.add(entry, begin == 0 ? text : withoutFirstLine(text));
    } catch (IOException e) {
      bundle.addNote("%s: %s".formatted(entry, CommandErrors.line(e)));
    }
  }

  /** A line without its beginning may hold a secret without its name. */
  private static String withoutFirstLine(String text) {
    int end = text.indexOf('\n');
    return end < 0 ? "" : text.substring(end + 1);
  }

  private static Map<String, Object> manifest(BundleEntries bundle) {
    Map<String, Object> manifest = new LinkedHashMap<>();
    manifest.put("format", 1);
    List<String> names = new ArrayList<>(bundle.entries().keySet());
    names.add(MANIFEST);
    manifest.put("entries", names.stream().sorted().toList());
    manifest.put("missing", bundle.notes());
    return manifest;
  }

  private static String json(Object document) {
    try {
      return JsonOutput.mapper().writeValueAsString(document);
    } catch (JsonProcessingException e) {
      throw new AssertionError("documents are plain values: " + document, e);
    }
  }
}
