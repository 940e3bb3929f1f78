package io.ensemble.cli.bench;

import io.ensemble.check.federation.FederationDescriptor;
import io.ensemble.check.federation.LocalPlan;
import io.ensemble.check.federation.LocalSites;
import io.ensemble.check.federation.SiteDescriptor;
import io.ensemble.check.process.ExitCode;
import io.ensemble.check.process.JsonOutput;
import io.ensemble.cli.option.FederationOption;
import io.ensemble.cli.option.FederationSizeOptions;
import io.ensemble.cli.option.WanLinkOptions;
import io.ensemble.cli.output.ProgressLine;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "ycsb",
    description = {
      "Run a YCSB workload.",
      "Uses the federation of --federation or $ENSEMBLE_FEDERATION, otherwise a temporary "
          + "federation for this run, independent of 'up'. The client is a separate process. Fails "
          + "if an operation failed or is missing."
    })
public final class YcsbCommand implements Callable<Integer> {

  enum Workload {
    A,
    B,
    C,
    D,
    E,
    F
  }

  enum YcsbMode {
    WEAK,
    SWMR,
    MWMR,
    RAW
  }

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin FederationOption federation = new FederationOption();

  @Option(
      names = "--workload",
      required = true,
      paramLabel = "W",
      description = "YCSB core workload, a to f.")
  Workload workload = Workload.A;

  @Option(
      names = "--mode",
      required = true,
      paramLabel = "MODE",
      description =
          "${COMPLETION-CANDIDATES}, case-insensitive. RAW is a plain RemoteCache of one site, for "
              + "comparison.")
  YcsbMode mode = YcsbMode.WEAK;

  @Option(
      names = "--replication",
      paramLabel = "N",
      description =
          "Number of sites that hold the records; default: 2 in WEAK, all in SWMR and MWMR, 1 in "
              + "RAW.")
  @Nullable Integer replication;

  @Option(names = "--threads", paramLabel = "N", description = "Client threads; default: 16.")
  @Nullable Integer threads;

  @Option(
      names = "--target",
      paramLabel = "N",
      description =
          "Maximum number of operations per second, also while loading; default: no limit.")
  @Nullable Integer target;

  @Option(
      names = "--records",
      paramLabel = "N",
      description = "Number of records to load; default: 10000, in workload e 1000.")
  @Nullable Integer records;

  @Option(
      names = "--operations",
      paramLabel = "N",
      description = "Number of operations to run; default: 20000, in workload e 500.")
  @Nullable Integer operations;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Directory for the text output of YCSB, a JSON result and HdrHistogram logs.")
  @Nullable Path out;

  @Mixin FederationSizeOptions counts = new FederationSizeOptions();
  @Mixin WanLinkOptions wan = new WanLinkOptions();

  @Override
  public Integer call() throws InterruptedException {
    YcsbRequest request =
        new YcsbRequest(
            lower(workload), lower(mode), replication, threads, target, records, operations, out);
    YcsbProcess ycsb = YcsbProcess.installed();
    if (federation.isNamed()) {
      return onRunning(ycsb, request);
    }
    requireSitesFor(request);
    request.prepareOut();
    try (ProgressLine progressLine = ProgressLine.on(reporting.err(), "starting");
        EmbeddedFederation own =
            LocalSites.start(
                new LocalPlan(counts.sites, counts.nodes, wan.wan(), false, null),
                progressLine::show)) {
      progressLine.finish();
      WanLinkOptions.show(reporting.err(), own.lines());
      return run(ycsb, request, LocalSites.places(own), null);
    }
  }

  private int onRunning(YcsbProcess ycsb, YcsbRequest request) throws InterruptedException {
    FederationDescriptor running =
        federation.running(
            reporting.spec(), List.of("--sites", "--nodes", "--latency", "--bandwidth"));
    request.requireRunnableOn(running.sites().size());
    request.prepareOut();
    return run(ycsb, request, running.sites(), running.catalog());
  }

  private void requireSitesFor(YcsbRequest request) {
    request.requireRunnableOn(counts.sites);
    if (mode == YcsbMode.SWMR || mode == YcsbMode.MWMR) {
      counts.requireStrongSites(mode, counts.sites);
    }
  }

  private int run(
      YcsbProcess ycsb, YcsbRequest request, List<SiteDescriptor> sites, @Nullable String catalog)
      throws InterruptedException {
    YcsbProcess.YcsbResult ended =
        ycsb.run(
            request,
            sites,
            catalog,
            "./ensemble " + String.join(" ", typedArguments()),
            reporting.json,
            line -> {
              reporting.err().println(line);
              reporting.err().flush();
            });
    return report(reporting, ended);
  }

  /** Prints the report, or an error that there is none; returns the exit code. */
  public static int report(ReportOptions reporting, YcsbProcess.YcsbResult ended) {
    reporting.out().print(ended.output());
    reporting.out().flush();
    boolean silent = ended.output().isBlank();
    int code = ended.hasExitedNormally() ? ended.exitCode() : ExitCode.FAILED;
    if (silent && code == ExitCode.OK) {
      code = ExitCode.FAILED;
    }
    if (!ended.hasExitedNormally() || (silent && ended.lastWord().isBlank())) {
      reporting.err().println("ensemble: " + ended.failureMessage());
    }
    if (silent && reporting.json) {
      JsonOutput.json(
          reporting.out(), new JsonOutput.FailureDocument(ended.failureMessage(), code));
    }
    return code;
  }

  private List<String> typedArguments() {
    return reporting.spec().root().commandLine().getParseResult().originalArgs();
  }

  private static String lower(Enum<?> choice) {
    return choice.name().toLowerCase(Locale.ROOT);
  }
}
