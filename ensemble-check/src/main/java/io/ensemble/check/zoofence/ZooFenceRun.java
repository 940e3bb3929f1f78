package io.ensemble.check.zoofence;

import io.ensemble.check.faults.CompositeSites;
import io.ensemble.check.faults.TrialFaultInjector;
import io.ensemble.check.faults.TrialFaultPlan;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.report.CheckResult;
import io.ensemble.check.report.GuaranteeVerdict;
import io.ensemble.check.trial.ClientLauncher;
import io.ensemble.check.trial.KillableClients;
import io.ensemble.check.trial.TrialOutcome;
import io.ensemble.check.trial.TrialWorkload;
import io.ensemble.check.trial.TrialWorkload.WorkloadResult;
import io.ensemble.check.znodes.FifoOrderCheck;
import io.ensemble.check.znodes.SequentialNodeCheck;
import io.ensemble.check.znodes.ZnodeLayout;
import io.ensemble.check.znodes.ZnodeSession;
import io.ensemble.check.znodes.ZnodeTree;
import io.ensemble.check.znodes.ZooFenceClientSpec;
import io.ensemble.check.znodes.ZooFenceProgram;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.OperationHistory;
import io.ensemble.zoofence.flattening.Flattening;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/**
 * One trial of a deployment of ZooFence: client processes with plain ZooKeeper clients that connect
 * to its proxies, faults, and the judgement.
 */
public final class ZooFenceRun {
  private static final String GUARANTEE =
      "linearizable per znode and per pair, in the order sent, once at every holder";

  private static final int PATIENCES_TO_REST = 12;

  /** At first no proxy leads. */
  static final Duration LONGEST_MAKING = Duration.ofSeconds(60);

  private final ZooFenceRequest request;
  private final ZooFenceTestbed testbed;
  private final Path directory;
  private final Consumer<String> progress;
  private final ClientLauncher launcher;
  private final Duration creationTimeout;
  private final List<String> problems = new ArrayList<>();

  /**
   * @param directory the directory for the clients' parts of the history and their logs
   * @param progress receives short lines, from several threads
   */
  public ZooFenceRun(
      ZooFenceRequest request, ZooFenceTestbed testbed, Path directory, Consumer<String> progress) {
    this(
        request,
        testbed,
        directory,
        progress,
        ClientLauncher.ofProgram(ZooFenceProgram.class),
        LONGEST_MAKING);
  }

  /**
   * The same.
   *
   * @param launcher starts the client processes
   * @param creationTimeout the time limit for the creation of the znodes, and for their removal
   */
  ZooFenceRun(
      ZooFenceRequest request,
      ZooFenceTestbed testbed,
      Path directory,
      Consumer<String> progress,
      ClientLauncher launcher,
      Duration creationTimeout) {
    this.request = request;
    this.testbed = testbed;
    this.directory = directory;
    this.progress = progress;
    this.launcher = launcher;
    this.creationTimeout = creationTimeout;
  }

  /**
   * Runs the trial. If the deployment belongs to others, the trial's znodes are removed however the
   * trial ends.
   *
   * @throws CommandException if it could not begin, or its files could not be read
   */
  public CheckResult run() throws InterruptedException {
    TrialFaultPlan plan = request.plan(testbed.sites());
    Flattening flattening = flattening();
    ZnodeLayout layout = ZnodeLayout.of(testbed.root(), request.keys(), flattening);
    TrialOutcome outcome;
    try {
      outcome = runTrial(plan, layout, flattening);
    } catch (RuntimeException | Error | InterruptedException e) {
      String left = removed(layout);
      if (!left.isEmpty()) {
        progress.accept(left);
        e.addSuppressed(new CommandException(left));
      }
      throw e;
    }
    String left = removed(layout);
    if (!left.isEmpty()) {
      problems.add(left);
    }
    return outcome.result("zoofence", testbed.sites(), problems);
  }

  private TrialOutcome runTrial(TrialFaultPlan plan, ZnodeLayout layout, Flattening flattening)
      throws InterruptedException {
    List<HistoryOperation> made;
    try (ZnodeTree tree = tree(layout)) {
      progress.accept("creating znodes");
      made = tree.make();
    }
    try (KillableClients workers =
        new KillableClients(request, false, share -> order(share, layout), directory, launcher)) {
      return runClients(plan, workers, layout, flattening, made);
    }
  }

  private ZnodeTree tree(ZnodeLayout layout) {
    return new ZnodeTree(
        layout, () -> new ZnodeSession(proxies(), testbed.sessionMillis()), creationTimeout);
  }

  private String proxies() {
    return String.join(",", testbed.proxies());
  }

  /**
   * Removes the znodes if the deployment belongs to others; returns the problem, or an empty text.
   */
  private String removed(ZnodeLayout layout) {
    if (!testbed.sites().kinds().isEmpty()) {
      return "";
    }
    progress.accept("removing znodes");
    try (ZnodeTree tree = tree(layout)) {
      tree.remove();
      return "";
    } catch (RuntimeException e) {
      return testbed.root() + " remains: " + e.getMessage();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return testbed.root() + " remains: interrupted while removing it";
    }
  }

  private InstanceInspector inspector() throws InterruptedException {
    return new InstanceInspector(testbed.instances(), testbed.admin());
  }

  private Flattening flattening() throws InterruptedException {
    try (InstanceInspector instances = inspector()) {
      return instances.flattening();
    }
  }

  private ZooFenceClientSpec order(KillableClients.ClientShare share, ZnodeLayout layout) {
    return new ZooFenceClientSpec(
        proxies(),
        testbed.sessionMillis(),
        layout,
        share.clients(),
        share.first(),
        share.seed(),
        share.nanosBetween(),
        share.operations(),
        share.history(),
        share.last());
  }

  private TrialOutcome runClients(
      TrialFaultPlan plan,
      KillableClients workers,
      ZnodeLayout layout,
      Flattening flattening,
      List<HistoryOperation> made)
      throws InterruptedException {
    progress.accept("starting " + request.processes() + " client processes");
    workers.start();
    TrialFaultInjector faults =
        new TrialFaultInjector(
            plan,
            new CompositeSites(testbed.sites(), new FaultableSessions(workers)),
            (site, former) -> {
              throw new IllegalStateException(
                  "instances are not refilled in this run; instance=" + site);
            },
            progress);
    WorkloadResult worked = new TrialWorkload(request, workers, faults, progress).run(nanos -> {});
    problems.addAll(worked.problems());
    if (!workers.stop()) {
      problems.add("a client process did not end normally; see its log in " + directory);
    }
    workers.end();
    inspect(
        "waiting for the last commands and the end of all sessions",
        () -> {
          try (InstanceInspector instances = inspector()) {
            instances.awaitIdle(layout, idleTimeout(), problems);
          }
        });
    inspect(
        "reading all znodes a last time",
        () -> {
          long unused = workers.last(problems);
        });
    inspect(
        "comparing the instances",
        () -> {
          try (InstanceInspector instances = inspector()) { // Its own sessions do not live long.
            instances.compare(layout.root(), flattening, problems);
          }
        });
    return judge(workers, layout, faults, worked.seconds(), made);
  }

  private interface Inspection {
    void inspect() throws InterruptedException;
  }

  /** A failed inspection is a problem, but does not hide the observations of clients. */
  private void inspect(String what, Inspection inspection) throws InterruptedException {
    progress.accept(what);
    try {
      inspection.inspect();
    } catch (RuntimeException e) {
      problems.add(what + " failed: " + e.getMessage());
    }
  }

  /** The time limit for commands and sessions that no client waits for. */
  private Duration idleTimeout() {
    return Duration.ofSeconds(5).plus(request.deadline().multipliedBy(PATIENCES_TO_REST));
  }

  private TrialOutcome judge(
      KillableClients workers,
      ZnodeLayout layout,
      TrialFaultInjector faults,
      double seconds,
      List<HistoryOperation> made) {
    List<HistoryOperation> all = new ArrayList<>(made);
    all.addAll(workers.history());
    all.sort(Comparator.comparingLong(HistoryOperation::callNanos));
    OperationHistory history = new OperationHistory(all);
    progress.accept("judging %,d calls".formatted(all.size()));
    problems.addAll(SequentialNodeCheck.problems(all));
    layout.orders().forEach(two -> FifoOrderCheck.violation(all, two).ifPresent(problems::add));
    GuaranteeVerdict finding = GuaranteeVerdict.linearizable(history).of(GUARANTEE);
    return TrialOutcome.of(request, workers.done(), faults, seconds, history, finding);
  }
}
