package io.ensemble.deploy;

import io.ensemble.deploy.federation.FederationFile;
import io.ensemble.deploy.federation.FederationState;
import io.ensemble.deploy.federation.RunningFederation;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "up",
    description = {
      "Run a federation in this process until it is stopped.",
      "Its sites are real Infinispan clusters, in memory, on free ports of 127.0.0.1, open to anyone"
          + " on this machine. Other commands find it by its file. It ends with Ctrl-C or SIGTERM."
    })
final class UpCommand implements Callable<Integer> {

  @Mixin Reporting reporting = new Reporting();
  @Mixin FederationOption federation = new FederationOption();

  @Mixin SiteCounts counts = new SiteCounts();

  @Override
  public Integer call() throws InterruptedException {
    FederationFile file = federation.file();
    FederationFile.Claim claim = file.claim();
    Logs.toFile(file.log()); // Not before: it may be another federation's.
    try (Progress progress = Progress.on(reporting.err(), "starting");
        RunningFederation running =
            RunningFederation.start(claim, counts.sites, counts.nodes, progress::show)) {
      progress.finish();
      CountDownLatch never = new CountDownLatch(1);
      Runtime.getRuntime().addShutdownHook(new Thread(running::close, "ensemble-down"));
      reporting.report(
          new Up(file.path().toString(), file.log().toString(), running.state()),
          out -> show(out, file, running.state()));
      never.await();
      return ExitCode.OK;
    }
  }

  private static void show(PrintWriter out, FederationFile file, FederationState state) {
    Table table = new Table("site", "endpoints");
    state.sites().forEach(site -> table.row(site.name(), String.join(" ", site.endpoints())));
    table.print(out, Terminal.coloursOnOut());
    out.println();
    out.println("up: " + file.path() + " (log: " + file.log() + "); Ctrl-C ends it");
  }

  private record Up(String file, String log, FederationState federation) {}
}
