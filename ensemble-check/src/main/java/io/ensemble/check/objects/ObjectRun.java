package io.ensemble.check.objects;

import io.ensemble.check.faults.CompositeSites;
import io.ensemble.check.faults.FaultCounts;
import io.ensemble.check.faults.FaultableSites;
import io.ensemble.check.faults.TrialFaultInjector;
import io.ensemble.check.faults.TrialFaultPlan;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.report.CheckResult;
import io.ensemble.check.report.GuaranteeVerdict;
import io.ensemble.check.trial.CheckEnvironment;
import io.ensemble.check.trial.ClientLauncher;
import io.ensemble.check.trial.KillableClients;
import io.ensemble.check.trial.TrialOutcome;
import io.ensemble.check.trial.TrialWorkload;
import io.ensemble.check.trial.TrialWorkload.WorkloadResult;
import io.ensemble.check.workload.BatchAddSplitter;
import io.ensemble.check.workload.LeaseExpiries;
import io.ensemble.check.workload.ObjectKind;
import io.ensemble.check.workload.RegisterKind;
import io.ensemble.check.workload.VersionedKind;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.OperationHistory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * One trial of atomic objects: a store of its own, client processes that share objects in it,
 * faults, and the judgement.
 */
public final class ObjectRun {
  private final ObjectRequest request;
  private final CheckEnvironment checkEnvironment;
  private final ClientLauncher launcher;
  private final List<String> problems = new ArrayList<>();

  /**
   * @param launcher starts the client processes
   */
  ObjectRun(ObjectRequest request, CheckEnvironment checkEnvironment, ClientLauncher launcher) {
    this.request = request;
    this.checkEnvironment = checkEnvironment;
    this.launcher = launcher;
  }

  /** The trial with the standard client processes. */
  public static ObjectRun of(ObjectRequest request, CheckEnvironment checkEnvironment) {
    return new ObjectRun(request, checkEnvironment, ClientLauncher.ofProgram(ObjectProgram.class));
  }

  /**
   * Runs the trial.
   *
   * @throws CommandException if it could not begin, or its files could not be read
   */
  public CheckResult run() throws InterruptedException {
    FaultableSites sites = checkEnvironment.sites();
    TrialFaultPlan plan = request.plan(sites);
    checkEnvironment.tell("starting " + request.processes() + " client processes");
    try (ObjectTrialCache home =
            ObjectTrialCache.create(
                request, sites.places(), checkEnvironment.catalog(), checkEnvironment.cache());
        KillableClients workers =
            new KillableClients(
                request,
                request.store() == ObjectStoreKind.EMBEDDED,
                share -> home.order(order(share), share.place(), share.members()),
                checkEnvironment.directory(),
                launcher)) {
      workers.start();
      TrialFaultInjector faults =
          new TrialFaultInjector(
              plan,
              new CompositeSites(
                  sites,
                  new FaultableObjectClients(
                      sites, workers, choice -> home.owner(root(choice % request.objects())))),
              home::refill,
              checkEnvironment.progress());
      WorkloadResult worked =
          new TrialWorkload(request, workers, faults, checkEnvironment.progress()).run(nanos -> {});
      problems.addAll(worked.problems());
      if (!workers.stop()) {
        problems.add(
            "a client process did not end normally; see its log in "
                + checkEnvironment.directory());
      }
      checkEnvironment.tell("reading all objects a last time");
      long left = workers.last(problems);
      checkUnreferenced(left, faults);
      return judge(workers, faults, worked.seconds());
    }
  }

  /**
   * A process may leave an entry if it dies, or if its request is performed late while others move
   * on what it moved (decision 0017). Most processes leave none.
   */
  private void checkUnreferenced(long left, TrialFaultInjector faults) {
    long allowed =
        FaultCounts.counts(faults.events()).values().stream().mapToLong(Long::longValue).sum();
    checkEnvironment.tell("unreferenced entries: %d, at most %d expected".formatted(left, allowed));
    if (left > allowed) {
      problems.add(
          "%d entries of the store are unreferenced; after %d faults at most one each is expected"
              .formatted(left, allowed));
    }
  }

  private ObjectClientSpec order(KillableClients.ClientShare share) {
    return new ObjectClientSpec(
        request.kind(),
        request.store(),
        request.stored(),
        checkEnvironment.sites().places(),
        checkEnvironment.catalog(),
        checkEnvironment.cache(),
        null,
        share.clients(),
        share.first(),
        share.first(),
        request.objects(),
        share.seed(),
        share.nanosBetween(),
        share.operations(),
        request.deadline().toMillis(),
        share.history(),
        share.last());
  }

  private String root(int number) {
    return request.kind().root(ObjectClientSpec.object(request.kind(), number));
  }

  private CheckResult judge(KillableClients workers, TrialFaultInjector faults, double seconds) {
    List<HistoryOperation> all = workers.history();
    if (request.kind() == ObjectKind.LOCK) {
      problems.addAll(LeaseExpiries.findTokenViolations(all));
      all.addAll(LeaseExpiries.withExpiries(all));
    } else if (request.kind() instanceof VersionedKind) {
      all = BatchAddSplitter.split(all);
    }
    all.sort(Comparator.comparingLong(HistoryOperation::callNanos));
    OperationHistory history = new OperationHistory(all);
    checkEnvironment.tell("judging %,d calls".formatted(all.size()));
    GuaranteeVerdict finding = judge(history);
    return TrialOutcome.of(request, workers.done(), faults, seconds, history, finding)
        .result(request.words(), checkEnvironment.sites(), problems);
  }

  private GuaranteeVerdict judge(OperationHistory history) {
    if (request.kind() == RegisterKind.SET_AGREEMENT) {
      return GuaranteeVerdict.setAgreement(history, RegisterKind.AGREEMENT_VALUES);
    }
    return request.kind() == ObjectKind.TREE
        ? GuaranteeVerdict.strictlySerializable(history)
        : GuaranteeVerdict.linearizable(history).of("linearizable per object");
  }
}
