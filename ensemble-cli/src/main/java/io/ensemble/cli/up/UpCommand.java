package io.ensemble.cli.up;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.ensemble.check.federation.FederationDescriptor;
import io.ensemble.check.federation.FederationFile;
import io.ensemble.check.federation.JoinedSite;
import io.ensemble.check.federation.LocalPlan;
import io.ensemble.check.federation.RunningFederation;
import io.ensemble.check.federation.SiteDescriptor;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.option.FederationOption;
import io.ensemble.cli.option.FederationSizeOptions;
import io.ensemble.cli.option.SizeConverter;
import io.ensemble.cli.option.WanLinkOptions;
import io.ensemble.cli.output.LogSetup;
import io.ensemble.cli.output.ProgressLine;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.cli.output.Terminal;
import io.ensemble.cli.output.TextTable;
import io.ensemble.cli.rest.LocalRest;
import io.ensemble.cli.rest.LocalToken;
import io.ensemble.cli.rest.RestOptions;
import io.ensemble.testkit.link.SiteLinkReport;
import io.ensemble.testkit.link.WanProfile;
import io.ensemble.testkit.process.ProcessOptions;
import io.ensemble.testkit.process.ProcessSecurity;
import io.micrometer.core.instrument.binder.MeterBinder;
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
      "The sites are Infinispan clusters on free ports of 127.0.0.1, open to all users of this "
          + "machine unless --tls and --auth are given. They run in this process and in memory; "
          + "with --processes, each node is a server process, and with --data it stores its data "
          + "on disk. Other commands find the federation by its file. It ends with Ctrl-C or "
          + "SIGTERM."
    })
public final class UpCommand implements Callable<Integer> {

  private static final Pattern SITE_NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,62}");

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin FederationOption startFederation = new FederationOption();

  @Mixin FederationSizeOptions counts = new FederationSizeOptions();
  @Mixin WanLinkOptions wan = new WanLinkOptions();
  public @Mixin RestOptions rest = new RestOptions();

  @Option(
      names = "--processes",
      description = "Run each node as a process, an unmodified Infinispan Server.")
  boolean processes;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "Keep caches and entries in DIR, and reuse its data; requires --processes.")
  @Nullable Path data;

  @Option(
      names = "--disk-reserve",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description =
          "Disk space that each node keeps free; with less, it rejects clients until half as much "
              + "again is free. 0 for none; default: 256MB. Requires --data.")
  @Nullable Long diskReserve;

  @Option(
      names = "--tls",
      description =
          "Use TLS between nodes, and between nodes and clients, with generated keys that are "
              + "stored with the federation; requires --processes.")
  boolean tls;

  @Option(
      names = "--auth",
      description =
          "Require authentication at the sites and the catalog; passwords are generated, and other "
              + "commands read them. Requires --tls.")
  boolean auth;

  @Option(
      names = "--client-certificates",
      description =
          "Require also the generated certificate of clients at the sites (mutual TLS); other "
              + "commands present it. Requires --auth.")
  boolean clientCertificates;

  @Option(
      names = "--site",
      paramLabel = "NAME",
      description =
          "Run only this site, for the federation of --catalog or --federation, and add it there. "
              + "Its entry stays when the site ends.")
  @Nullable String site;

  @Option(
      names = "--label",
      paramLabel = "SITE:NAME=VALUE",
      description = "Label of a site, for the placement of caches; may be repeated.")
  Map<String, String> labels = new LinkedHashMap<>();

  @Option(
      names = "--no-maintenance",
      negatable = true,
      defaultValue = "true",
      fallbackValue = "false",
      description = "Do not recover or repair sites in this process; by default it does.")
  public boolean maintenance = true;

  @Override
  public Integer call() throws InterruptedException {
    labels(); // Reports invalid labels before any process starts.
    rest.check();
    return site == null ? startFederation() : startSite(site);
  }

  private Integer startSite(String name) throws InterruptedException {
    if (reporting.spec().commandLine().getParseResult().hasMatchedOption("--sites")
        || !wan.wan().equals(WanProfile.NONE)) {
      throw new CommandException(
          ExitCode.USAGE, "--site excludes --sites, --latency and --bandwidth");
    }
    if (rest.isGiven()) {
      throw new CommandException(
          ExitCode.USAGE,
          "--site runs no REST service and excludes --rest-port and --no-rest; use './ensemble "
              + "rest'");
    }
    if (!SITE_NAME.matcher(name).matches()) { // The name becomes part of file names.
      throw new CommandException(
          ExitCode.USAGE, "--site must be letters, digits and dashes; got '" + name + "'");
    }
    String catalog = startFederation.address();
    LocalPlan plan =
        new LocalPlan(1, counts.nodes, wan.wan(), processes, data, security(), reserve());
    FederationFile file = startFederation.file();
    LogSetup.toFile(file.logOf(name));
    try (ProgressLine progressLine = ProgressLine.on(reporting.err(), "starting");
        JoinedSite running =
            JoinedSite.start(
                name,
                labels().getOrDefault(name, Map.of()),
                catalog,
                plan,
                maintenance,
                file.scratchOf(name),
                progressLine::show)) {
      progressLine.finish();
      CountDownLatch never = new CountDownLatch(1);
      Runtime.getRuntime().addShutdownHook(new Thread(running::close, "ensemble-down"));
      SiteDescriptor place = running.place();
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

  private Integer startFederation() throws InterruptedException {
    LocalPlan plan =
        new LocalPlan(
            counts.sites, counts.nodes, wan.wan(), processes, data, security(), reserve());
    FederationFile file = startFederation.file();
    FederationFile.Claim claim = file.claim();
    LogSetup.toFile(file.log()); // Not before: it may be another federation's.
    try (ProgressLine progressLine = ProgressLine.on(reporting.err(), "starting");
        RunningFederation running =
            RunningFederation.start(claim, plan, maintenance, progressLine::show);
        LocalRest service = rest.start(running.state().catalog(), file, meters())) {
      labels().forEach(running::label);
      progressLine.finish();
      CountDownLatch never = new CountDownLatch(1);
      Runtime.getRuntime()
          .addShutdownHook(new Thread(() -> close(service, running), "ensemble-down"));
      String address = service == null ? null : service.address().toString();
      LocalToken token = service == null ? null : service.access().token();
      reporting.report(
          new Up(
              file.path().toString(),
              file.log().toString(),
              running.state(),
              running.lines(),
              address,
              token == null ? null : token.text(),
              token == null ? null : token.file().toString()),
          out -> show(out, file, running, service));
      never.await();
      return ExitCode.OK;
    }
  }

  /** Meters of the nodes; none of nodes in memory, which use no disk. */
  private MeterBinder meters() {
    return data == null ? registry -> {} : new NodeDiskMeters(data);
  }

  /** The service first, because it uses the processes of the federation. */
  private static void close(@Nullable LocalRest service, RunningFederation running) {
    try (running) {
      if (service != null) {
        service.close();
      }
    }
  }

  private ProcessSecurity security() {
    if (auth && !tls) {
      throw new CommandException(
          ExitCode.USAGE, "--auth requires --tls, because data would be sent in clear text");
    }
    if (clientCertificates && !auth) {
      throw new CommandException(
          ExitCode.USAGE,
          "--client-certificates requires --auth, because the certificate does not name a user");
    }
    if (auth) {
      return clientCertificates
          ? ProcessSecurity.MUTUAL_TLS_AND_USERS
          : ProcessSecurity.TLS_AND_USERS;
    }
    return tls ? ProcessSecurity.TLS : ProcessSecurity.OPEN;
  }

  private long reserve() {
    if (diskReserve != null && data == null) {
      throw new CommandException(
          ExitCode.USAGE, "--disk-reserve requires --data, because nodes in memory use no disk");
    }
    return diskReserve == null ? ProcessOptions.DEFAULT_DISK_RESERVE_BYTES : diskReserve;
  }

  /** The labels by site. */
  private Map<String, Map<String, String>> labels() {
    Map<String, Map<String, String>> bySite = new TreeMap<>();
    labels.forEach(
        (label, value) -> {
          int colon = label.indexOf(':');
          if (colon < 1) {
            throw new CommandException(
                ExitCode.USAGE,
                "label must be SITE:NAME=VALUE; got '%s=%s'".formatted(label, value));
          }
          bySite
              .computeIfAbsent(label.substring(0, colon), site -> new TreeMap<>())
              .put(label.substring(colon + 1), value);
        });
    return bySite;
  }

  private static void show(
      PrintWriter out,
      FederationFile file,
      RunningFederation running,
      @Nullable LocalRest service) {
    TextTable table = new TextTable("site", "endpoints");
    running
        .state()
        .sites()
        .forEach(site -> table.row(site.name(), String.join(" ", site.endpoints())));
    table.print(out, Terminal.coloursOnOut());
    out.println();
    WanLinkOptions.show(out, running.lines());
    if (service != null) {
      out.println("REST: " + service.address());
      service.access().show(out);
    }
    out.println("up: " + file.path() + " (log: " + file.log() + "); Ctrl-C ends it");
  }

  private record Joined(String catalog, String log, SiteDescriptor site) {}

  private record Up(
      String file,
      String log,
      FederationDescriptor federation,
      List<SiteLinkReport> lines,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String rest,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String restToken,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String restTokenFile) {}
}
