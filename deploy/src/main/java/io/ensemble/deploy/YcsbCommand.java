package io.ensemble.deploy;

import io.ensemble.deploy.federation.FederationFile;
import io.ensemble.deploy.federation.FederationState;
import io.ensemble.deploy.federation.FederationState.Place;
import io.ensemble.deploy.federation.LocalSites;
import io.ensemble.deploy.ycsb.YcsbProcess;
import io.ensemble.deploy.ycsb.YcsbRequest;
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
      "Run a workload of the Yahoo! Cloud Serving Benchmark.",
      "On the running federation when --federation (or $ENSEMBLE_FEDERATION) names one, else on one"
          + " of its own, in this process. The client is a process of its own. Fails when an operation"
          + " failed or none was done."
    })
final class YcsbCommand implements Callable<Integer> {

  enum Workload {
    A,
    B,
    C,
    D,
    E,
    F
  }

  enum Against {
    WEAK,
    MWMR,
    RAW
  }

  @Mixin Reporting reporting = new Reporting();
  @Mixin FederationOption federation = new FederationOption();

  @Option(
      names = "--workload",
      required = true,
      paramLabel = "W",
      description = "YCSB's core workload, a to f.")
  Workload workload = Workload.A;

  @Option(
      names = "--mode",
      required = true,
      paramLabel = "MODE",
      description =
          "${COMPLETION-CANDIDATES}, in any case. RAW is a plain RemoteCache of one site, to compare.")
  Against mode = Against.WEAK;

  @Option(
      names = "--replication",
      paramLabel = "N",
      description = "How many sites hold the records; default: 2 in WEAK, all in MWMR, 1 in RAW.")
  @Nullable Integer replication;

  @Option(names = "--threads", paramLabel = "N", description = "Client threads; default: 16.")
  @Nullable Integer threads;

  @Option(
      names = "--target",
      paramLabel = "N",
      description = "Operations per second to aim at; default: as many as can be.")
  @Nullable Integer target;

  @Option(
      names = "--records",
      paramLabel = "N",
      description = "Records to load; default: 10000, in workload e 1000.")
  @Nullable Integer records;

  @Option(
      names = "--operations",
      paramLabel = "N",
      description = "Operations to run; default: 20000, in workload e 500.")
  @Nullable Integer operations;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Keep YCSB's text output, a JSON result and HdrHistogram logs there.")
  @Nullable Path out;

  @Mixin SiteCounts counts = new SiteCounts();

  @Override
  public Integer call() throws InterruptedException {
    YcsbRequest request =
        new YcsbRequest(
            lower(workload), lower(mode), replication, threads, target, records, operations, out);
    YcsbProcess ycsb = YcsbProcess.installed();
    if (federation.given != null || System.getenv(FederationFile.VARIABLE) != null) {
      FederationState running = federation.file().read();
      return run(ycsb, request, running.sites(), Path.of(running.definitions()));
    }
    try (Progress progress = Progress.on(reporting.err(), "starting");
        EmbeddedFederation own = LocalSites.start(counts.sites, counts.nodes, progress::show)) {
      progress.finish();
      return run(ycsb, request, LocalSites.places(own), null);
    }
  }

  private int run(
      YcsbProcess ycsb, YcsbRequest request, List<Place> sites, @Nullable Path definitions)
      throws InterruptedException {
    YcsbProcess.Ended ended =
        ycsb.run(
            request,
            sites,
            definitions,
            "./ensemble " + String.join(" ", typed()),
            reporting.json,
            line -> {
              reporting.err().println(line);
              reporting.err().flush();
            });
    reporting.out().print(ended.output());
    reporting.out().flush();
    return ended.exitCode();
  }

  private List<String> typed() {
    return reporting.spec().root().commandLine().getParseResult().originalArgs();
  }

  private static String lower(Enum<?> choice) {
    return choice.name().toLowerCase(Locale.ROOT);
  }
}
