package io.ensemble.deploy;

import io.ensemble.deploy.federation.FederationFile;
import io.ensemble.deploy.federation.FederationState;
import io.ensemble.deploy.federation.JoinedSite;
import io.ensemble.deploy.federation.LocalPlan;
import io.ensemble.deploy.federation.Place;
import io.ensemble.deploy.federation.RunningFederation;
import io.ensemble.testkit.link.LineReport;
import io.ensemble.testkit.link.Wan;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "up",
    description = {
      "Run a federation on this machine until it is stopped.",
      "Its sites are real Infinispan clusters on free ports of 127.0.0.1, open to anyone on this"
          + " machine: in this process and in memory, or with --processes each node a server of its"
          + " own, with --data on disk. Other commands find it by its file. It ends with Ctrl-C or"
          + " SIGTERM."
    })
final class UpCommand implements Callable<Integer> {

  private static final Pattern SITE_NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,62}");

  @Mixin Reporting reporting = new Reporting();
  @Mixin FederationOption federation = new FederationOption();

  @Mixin SiteCounts counts = new SiteCounts();
  @Mixin WanOptions wan = new WanOptions();

  @Option(
      names = "--processes",
      description = "Run each node as a process, an Infinispan Server as it comes.")
  boolean processes;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description =
          "Keep caches and entries in DIR, and go on with what it holds; wants --processes.")
  @Nullable Path data;

  @Option(
      names = "--site",
      paramLabel = "NAME",
      description =
          "Run this one site only, for the federation that --catalog or --federation names, and enter"
              + " it there. Its entry stays when it ends.")
  @Nullable String site;

  @Option(
      names = "--label",
      paramLabel = "SITE:NAME=VALUE",
      description = "What a site is like, for the placement of caches; may be repeated.")
  Map<String, String> labels = new LinkedHashMap<>();

  @Option(
      names = "--no-maintenance",
      negatable = true,
      defaultValue = "true",
      fallbackValue = "true",
      description =
          "Leave it to others to bring sites back that have lost or missed something; this process does"
              + " otherwise.")
  boolean maintenance = true;

  @Override
  public Integer call() throws InterruptedException {
    labels(); // What is wrong is told before anything is started.
    return site == null ? federation() : joined(site);
  }

  private Integer joined(String name) throws InterruptedException {
    if (reporting.spec().commandLine().getParseResult().hasMatchedOption("--sites")
        || !wan.wan().equals(Wan.NONE)) {
      throw new CommandFailure(
          ExitCode.USAGE, "--site wants no --sites, and is near: no --latency, no --bandwidth");
    }
    if (!SITE_NAME.matcher(name).matches()) { // It stands in the names of files.
      throw new CommandFailure(
          ExitCode.USAGE, "--site wants letters, digits and dashes; got '" + name + "'");
    }
    String catalog = federation.address();
    LocalPlan plan = new LocalPlan(1, counts.nodes, wan.wan(), processes, data);
    FederationFile file = federation.file();
    Logs.toFile(file.logOf(name));
    try (Progress progress = Progress.on(reporting.err(), "starting");
        JoinedSite running =
            JoinedSite.start(
                name,
                labels().getOrDefault(name, Map.of()),
                catalog,
                plan,
                maintenance,
                file.scratchOf(name),
                progress::show)) {
      progress.finish();
      CountDownLatch never = new CountDownLatch(1);
      Runtime.getRuntime().addShutdownHook(new Thread(running::close, "ensemble-down"));
      Place place = running.place();
      reporting.report(
          new Joined(catalog, file.logOf(name).toString(), place),
          out -> {
            out.printf("%s: %s%n", name, String.join(" ", place.endpoints()));
            out.println("up, in " + catalog + " (log: " + file.logOf(name) + "); Ctrl-C ends it");
          });
      never.await();
      return ExitCode.OK;
    }
  }

  private Integer federation() throws InterruptedException {
    LocalPlan plan = new LocalPlan(counts.sites, counts.nodes, wan.wan(), processes, data);
    FederationFile file = federation.file();
    FederationFile.Claim claim = file.claim();
    Logs.toFile(file.log()); // Not before: it may be another federation's.
    try (Progress progress = Progress.on(reporting.err(), "starting");
        RunningFederation running =
            RunningFederation.start(claim, plan, maintenance, progress::show)) {
      labels().forEach(running::label);
      progress.finish();
      CountDownLatch never = new CountDownLatch(1);
      Runtime.getRuntime().addShutdownHook(new Thread(running::close, "ensemble-down"));
      reporting.report(
          new Up(file.path().toString(), file.log().toString(), running.state(), running.lines()),
          out -> show(out, file, running));
      never.await();
      return ExitCode.OK;
    }
  }

  /** By site. */
  private Map<String, Map<String, String>> labels() {
    Map<String, Map<String, String>> bySite = new TreeMap<>();
    labels.forEach(
        (label, value) -> {
          int colon = label.indexOf(':');
          if (colon < 1) {
            throw new CommandFailure(
                ExitCode.USAGE, "a label is SITE:NAME=VALUE; got '%s=%s'".formatted(label, value));
          }
          bySite
              .computeIfAbsent(label.substring(0, colon), site -> new TreeMap<>())
              .put(label.substring(colon + 1), value);
        });
    return bySite;
  }

  private static void show(PrintWriter out, FederationFile file, RunningFederation running) {
    Table table = new Table("site", "endpoints");
    running
        .state()
        .sites()
        .forEach(site -> table.row(site.name(), String.join(" ", site.endpoints())));
    table.print(out, Terminal.coloursOnOut());
    out.println();
    WanOptions.show(out, running.lines());
    out.println("up: " + file.path() + " (log: " + file.log() + "); Ctrl-C ends it");
  }

  private record Joined(String catalog, String log, Place site) {}

  private record Up(String file, String log, FederationState federation, List<LineReport> lines) {}
}
