package io.ensemble.cli.check;

import io.ensemble.check.faults.CompositeSites;
import io.ensemble.check.faults.EmbeddedSites;
import io.ensemble.check.faults.FaultFreeSites;
import io.ensemble.check.faults.FaultableCatalog;
import io.ensemble.check.faults.FaultableSites;
import io.ensemble.check.faults.ProcessSites;
import io.ensemble.check.faults.TrialFaultKind;
import io.ensemble.check.federation.FederationDescriptor;
import io.ensemble.check.federation.LocalPlan;
import io.ensemble.check.federation.LocalSites;
import io.ensemble.check.objects.ObjectRequest;
import io.ensemble.check.objects.ObjectRun;
import io.ensemble.check.objects.ObjectStoreKind;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.check.registers.CheckRequest;
import io.ensemble.check.registers.CheckRun;
import io.ensemble.check.report.CheckReport;
import io.ensemble.check.report.CheckResult;
import io.ensemble.check.report.RecordedHistoryJudge;
import io.ensemble.check.report.ReportFiles;
import io.ensemble.check.report.StreamVerdict;
import io.ensemble.check.report.WorkDirectory;
import io.ensemble.check.trial.CheckEnvironment;
import io.ensemble.check.zoofence.ZooFenceProcesses;
import io.ensemble.check.zoofence.ZooFenceRequest;
import io.ensemble.check.zoofence.ZooFenceRun;
import io.ensemble.check.zoofence.ZooFenceTestbed;
import io.ensemble.cli.ProxyProgram;
import io.ensemble.cli.option.FederationOption;
import io.ensemble.cli.option.FederationSizeOptions;
import io.ensemble.cli.option.WanLinkOptions;
import io.ensemble.cli.output.ProgressLine;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.cli.output.Terminal;
import io.ensemble.cli.output.TextTable;
import io.ensemble.cli.output.VersionProvider;
import io.ensemble.testkit.listen.StreamSummary;
import io.ensemble.testkit.process.ServerLibrary;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "check",
    description = {
      "Test the guarantee of a mode on real sites under faults.",
      "Clients in separate processes read, write, remove and use conditional operations on a "
          + "temporary cache. A seeded plan kills, stops, cuts off, slows and wipes sites and "
          + "nodes, and leaves a majority of the sites their memory. All operations are recorded "
          + "and the history is judged: SWMR and MWMR for linearizability; WEAK for values that "
          + "were never written, and for equal contents of all sites at the end. Uses a temporary "
          + "federation, or without faults that of --federation or $$ENSEMBLE_FEDERATION. Succeeds "
          + "only if the guarantee held and enough operations were answered.",
      "With --listen, listeners receive the changes of the cache meanwhile; each stream must be "
          + "complete, in order and without repetitions.",
      "With --object, tests atomic objects (counters, registers, queues, maps, locks) in one site, "
          + "an Ensemble cache, or among the client processes, which also crash: each object must "
          + "be linearizable. With --versioned, tests the keys of a versioned cache in the same "
          + "way.",
      "With --zoofence, tests the guarantees of ZooFence with the ZooKeeper client, while proxies, "
          + "their leader, ensembles, clients and sessions crash or stop."
    })
public final class CheckCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin FederationOption federation = new FederationOption();
  @Mixin CheckOptions options = new CheckOptions();
  @Mixin ObjectTrialOptions objects = new ObjectTrialOptions();
  @Mixin ZooFenceTrialOptions zooFence = new ZooFenceTrialOptions();
  @Mixin FederationSizeOptions counts = new FederationSizeOptions();
  @Mixin WanLinkOptions wan = new WanLinkOptions();

  @Option(
      names = "--processes",
      description =
          "Run each node of the temporary federation as a process, an unmodified Infinispan Server "
              + "with data on disk; kills are kill -9, and pauses stop processes.")
  boolean processes;

  @Option(
      names = "--upgrade-to",
      paramLabel = "DIR",
      description =
          "Directory with the jars of another version of Infinispan Server (docs/check.md). A "
              + "rolling restart starts each node with them. Requires --processes and --faults "
              + "rolling.")
  @Nullable Path upgradeTo;

  @Option(
      names = "--history",
      paramLabel = "FILE",
      split = ",",
      description =
          "Also write the history to this file. With --only-check: the history to judge; several "
              + "files, separated by commas, of processes of one machine in the same run.")
  @Nullable List<Path> history;

  @Option(
      names = "--only-check",
      description =
          "Only judge the recorded file of --history, without a run. Its objects are registers, "
              + "including locks, counters, queues, maps, versioned keys, znodes and sequential "
              + "names (docs/histories.md); with --mode weak, those of a WEAK cache.")
  boolean onlyCheck;

  @Option(
      names = "--report",
      paramLabel = "DIR",
      description =
          "Directory for the report: a page with a plot, the history and the faults. Without it, a "
              + "failed run keeps them in a temporary directory and prints its name.")
  @Nullable Path report;

  @Override
  public Integer call() throws InterruptedException {
    if (upgradeTo != null && (options.mode == null || !processes || onlyCheck)) {
      throw new CommandException(ExitCode.USAGE, "--upgrade-to requires --mode and --processes");
    }
    if (zooFence.areWanted(reporting.spec())) {
      return checkZooFence();
    }
    if (objects.areWanted(reporting.spec())) {
      return checkObjects();
    }
    if (onlyCheck) {
      return judgeRecordedHistory();
    }
    if (federation.isNamed()) {
      return checkRunningFederation();
    }
    // Invalid options are reported before any process starts.
    LocalPlan plan = new LocalPlan(counts.sites, counts.nodes, wan.wan(), processes, null);
    CheckRequest request = options.request(plan);
    ServerLibrary upgrade = upgrade(request.faults());
    if (options.mode != null && options.mode != CheckOptions.TestedMode.WEAK) {
      counts.requireStrongSites(options.mode, counts.sites);
    }
    LocalPlan all = request.isMoved() ? plan.withOneMoreSite() : plan;
    try (WorkDirectory directory = workDirectory();
        ProgressLine progress = ProgressLine.on(reporting.err(), "check");
        FaultableSites own = startSites(all, upgrade, directory, progress)) {
      if (!request.faults().contains(TrialFaultKind.CATALOG)) {
        return run(request, own, directory.file("definitions").toString(), directory, progress);
      }
      try (FaultableCatalog breakable = FaultableCatalog.start(directory.file("catalog"))) {
        FaultableSites both = new CompositeSites(own, breakable);
        return run(request, both, breakable.address(), directory, progress);
      }
    }
  }

  private int checkObjects() throws InterruptedException {
    LocalPlan plan =
        objects.plan(
            reporting.spec(),
            counts,
            new LocalPlan(counts.sites, counts.nodes, wan.wan(), processes, null));
    ObjectRequest request = options.request(objects, plan);
    boolean ofClients = objects.store() == ObjectStoreKind.EMBEDDED;
    try (WorkDirectory directory = workDirectory();
        ProgressLine progress = ProgressLine.on(reporting.err(), "check");
        FaultableSites own =
            ofClients ? FaultFreeSites.ofClients() : startSites(plan, null, directory, progress)) {
      String catalog = directory.file("definitions").toString();
      return runTrial(
          "seed %d, %s, faults: %s"
              .formatted(request.seed(), request.words(), words(request.faults())),
          () ->
              ObjectRun.of(
                      request, CheckEnvironment.of(own, catalog, directory.parts(), progress::show))
                  .run(),
          directory,
          progress);
    }
  }

  private int checkZooFence() throws InterruptedException {
    String root = "/ensemble-check-" + UUID.randomUUID().toString().substring(0, 8);
    if (zooFence.isOfOthers()) {
      ZooFenceRequest request = options.zooFenceRequest(ZooFenceRequest.POSSIBLE_TO_OTHERS);
      ZooFenceTestbed testbed = zooFence.ofOthers(root);
      try (WorkDirectory directory = workDirectory();
          ProgressLine progress = ProgressLine.on(reporting.err(), "check")) {
        return run(request, testbed, directory, progress);
      }
    }
    ZooFenceRequest request = options.zooFenceRequest(ZooFenceRequest.POSSIBLE);
    zooFence.requireBounds(counts.sites);
    try (WorkDirectory directory = workDirectory();
        ProgressLine progress = ProgressLine.on(reporting.err(), "check")) {
      progress.show(
          "starting %d instances and %d proxies".formatted(counts.sites, zooFence.proxies));
      try (ZooFenceProcesses own =
          ZooFenceProcesses.start(
              counts.sites,
              zooFence.proxies,
              root,
              request.deadline(),
              directory.sites(),
              ProxyProgram.class.getName())) {
        return run(request, own.testbed(root), directory, progress);
      }
    }
  }

  private int run(
      ZooFenceRequest request,
      ZooFenceTestbed testbed,
      WorkDirectory directory,
      ProgressLine progress)
      throws InterruptedException {
    return runTrial(
        "seed %d, zoofence on %d instances and %d proxies, faults: %s"
            .formatted(
                request.seed(),
                testbed.instances().size(),
                testbed.proxies().size(),
                words(request.faults())),
        () -> new ZooFenceRun(request, testbed, directory.parts(), progress::show).run(),
        directory,
        progress);
  }

  private @Nullable ServerLibrary upgrade(Set<TrialFaultKind> faults) {
    if (upgradeTo == null) {
      return null;
    }
    if (!faults.contains(TrialFaultKind.ROLLING)) {
      throw new CommandException(
          ExitCode.USAGE, "--upgrade-to requires a rolling restart: --faults rolling");
    }
    try {
      ServerLibrary library = new ServerLibrary(upgradeTo);
      library.requireComplete();
      return library;
    } catch (IllegalStateException e) {
      throw new CommandException(
          ExitCode.USAGE,
          "--upgrade-to must be a directory with ensemble-site-process.jar and the jars that it"
              + " names (docs/check.md); got "
              + upgradeTo);
    }
  }

  private static FaultableSites startSites(
      LocalPlan plan,
      @Nullable ServerLibrary upgrade,
      WorkDirectory directory,
      ProgressLine progress) {
    return plan.processes()
        ? ProcessSites.start(plan, upgrade, directory.sites(), progress::show)
        : new EmbeddedSites(LocalSites.start(plan, progress::show), plan.nodes());
  }

  private int judgeRecordedHistory() {
    if (history == null) {
      throw new CommandException(ExitCode.USAGE, "--only-check requires --history FILE");
    }
    if (report != null) {
      ReportFiles.requireElsewhere(history, report);
      ReportFiles.prepare(report);
    }
    CheckResult result =
        RecordedHistoryJudge.judge(history, options.mode == CheckOptions.TestedMode.WEAK, 1);
    if (report != null) {
      ReportFiles.write(report, result, version(), typedCommand());
    }
    return reportResult(result.report(), report);
  }

  private int checkRunningFederation() throws InterruptedException {
    FederationDescriptor running =
        federation.running(
            reporting.spec(),
            List.of(
                "--sites", "--nodes", "--processes", "--upgrade-to", "--latency", "--bandwidth"));
    FaultableSites sites = FaultFreeSites.ofSomebody(running.sites());
    CheckRequest request = options.request(sites);
    try (WorkDirectory directory = workDirectory();
        ProgressLine progress = ProgressLine.on(reporting.err(), "check")) {
      return run(request, sites, running.catalog(), directory, progress);
    }
  }

  private int run(
      CheckRequest request,
      FaultableSites sites,
      String catalog,
      WorkDirectory directory,
      ProgressLine progress)
      throws InterruptedException {
    return runTrial(
        "seed %d, %s on %d sites, faults: %s"
            .formatted(
                request.seed(), request.mode(), sites.places().size(), words(request.faults())),
        () ->
            CheckRun.of(
                    request, CheckEnvironment.of(sites, catalog, directory.parts(), progress::show))
                .run(),
        directory,
        progress);
  }

  private interface Trial {
    CheckResult run() throws InterruptedException;
  }

  private int runTrial(String what, Trial trial, WorkDirectory directory, ProgressLine progress)
      throws InterruptedException {
    progress.show(what);
    CheckResult result = trial.run();
    progress.finish();
    Path kept = directory.keep(result.report().ok());
    CheckReport checkReport = result.report().keptIn(kept == null ? null : kept.toString());
    CheckResult resultWithReport =
        new CheckResult(
            checkReport, result.finding(), result.history(), result.events(), result.window());
    try {
      if (kept != null) {
        ReportFiles.write(kept, resultWithReport, version(), typedCommand());
      }
      Path file = historyFile();
      if (file != null) {
        writeHistory(file, resultWithReport);
      }
    } catch (CommandException unwritten) {
      reportResult(checkReport, null);
      throw new CommandException(
          unwritten.getMessage() + "; the records of the run are in " + directory.parts(),
          unwritten);
    }
    directory.written();
    return reportResult(checkReport, kept);
  }

  /** The directory of the run's files, after a check that all outputs are writable. */
  private WorkDirectory workDirectory() {
    Path file = historyFile();
    WorkDirectory directory = WorkDirectory.make(report);
    if (file != null) {
      try {
        ReportFiles.requireWritable(file);
      } catch (CommandException unwritable) {
        directory.close();
        throw unwritable;
      }
    }
    return directory;
  }

  /** The file for the history; null for none. */
  private @Nullable Path historyFile() {
    if (history != null && history.size() > 1) {
      throw new CommandException(
          ExitCode.USAGE, "--history must be one file to write; got " + history);
    }
    return history == null ? null : history.get(0);
  }

  private static String words(Set<TrialFaultKind> faults) {
    return faults.isEmpty()
        ? "none"
        : faults.stream().map(TrialFaultKind::word).sorted().collect(Collectors.joining(", "));
  }

  private static void writeHistory(Path file, CheckResult result) {
    try {
      ReportFiles.history(file, result, version());
    } catch (IOException e) {
      throw new CommandException("cannot write " + file + ": " + e.getMessage(), e);
    }
  }

  private int reportResult(CheckReport done, @Nullable Path kept) {
    reporting.report(done, out -> show(out, done, kept));
    return done.ok() ? ExitCode.OK : ExitCode.FAILED;
  }

  private static void show(PrintWriter out, CheckReport done, @Nullable Path kept) {
    CheckReport.Operations counts = done.operations();
    TextTable table =
        new TextTable("mode", "verdict", "answered", "refused", "unknown", "seconds", "seed");
    table.row(
        done.mode(),
        done.ok() ? "ok" : "FAILED",
        "%,d".formatted(counts.completed()),
        "%,d".formatted(counts.refused()),
        "%,d".formatted(counts.unknown()),
        "%.1f".formatted(done.seconds()),
        done.seed());
    table.print(out, Terminal.coloursOnOut());
    out.println();
    WanLinkOptions.show(out, done.lines());
    if (!done.faults().isEmpty()) {
      out.println(
          "faults: %s; sites refilled: %d%s"
              .formatted(
                  done.faultsInWords(),
                  done.refilled(),
                  done.discarded() == 0
                      ? ""
                      : "; stores that refused permanently: " + done.discarded()));
    }
    if (done.oneSiteDead().operations() > 0) {
      out.println("while one site was down: " + done.oneSiteDead().inWords());
    }
    StreamSummary streams = done.streams();
    if (streams != null) {
      out.println("streams: " + StreamVerdict.words(streams));
    }
    CheckReport.Violation violation = done.violation();
    if (violation != null) {
      out.printf(
          "key %s, line %d of the history made it impossible: %s%n%n%s%n",
          violation.key(), violation.line(), violation.operation(), violation.explanation());
    }
    done.problems().forEach(problem -> out.println("FAILED: " + problem));
    if (done.ok()) {
      out.println("held: " + done.guarantee());
    }
    if (kept != null) {
      out.println("report: " + kept);
    }
  }

  private String typedCommand() {
    return "./ensemble "
        + String.join(" ", reporting.spec().root().commandLine().getParseResult().originalArgs());
  }

  private static String version() {
    return new VersionProvider().getVersion()[0];
  }
}
