package io.ensemble.deploy.check;

import io.ensemble.deploy.CommandFailure;
import io.ensemble.deploy.check.WorkAmongFaults.Worked;
import io.ensemble.deploy.check.objects.ObjectKind;
import io.ensemble.deploy.check.objects.VersionedKind;
import io.ensemble.testkit.history.History;
import io.ensemble.testkit.history.Operation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * One trial of atomic objects: a store of its own, client processes that share objects in it,
 * faults, and the judgement.
 */
public final class ObjectRun {
  private final ObjectRequest request;
  private final Scene scene;
  private final ClientLauncher launcher;
  private final List<String> problems = new ArrayList<>();

  /**
   * @param launcher starts the client processes
   */
  ObjectRun(ObjectRequest request, Scene scene, ClientLauncher launcher) {
    this.request = request;
    this.scene = scene;
    this.launcher = launcher;
  }

  /** The trial with clients as they are. */
  public static ObjectRun of(ObjectRequest request, Scene scene) {
    return new ObjectRun(request, scene, ClientLauncher.ofProgram(ObjectProgram.class));
  }

  /**
   * Runs it.
   *
   * @throws CommandFailure if it could not begin, or its files could not be read
   */
  public CheckResult run() throws InterruptedException {
    Breakable sites = scene.sites();
    FaultPlan plan = request.plan(sites);
    scene.tell("starting " + request.processes() + " client processes");
    try (ObjectHome home =
            ObjectHome.create(request, sites.places(), scene.catalog(), scene.cache());
        KillableWorkers workers =
            new KillableWorkers(
                request,
                request.store() == ObjectStoreKind.EMBEDDED,
                share -> home.order(order(share), share.place(), share.members()),
                scene.directory(),
                launcher)) {
      workers.start();
      FaultRun faults =
          new FaultRun(
              plan,
              new SitesAndMore(
                  sites,
                  new BreakableClients(
                      sites, workers, choice -> home.owner(root(choice % request.objects())))),
              home::refilled,
              scene.progress());
      Worked worked =
          new WorkAmongFaults(request, workers, faults, scene.progress()).run(nanos -> {});
      problems.addAll(worked.problems());
      if (!workers.stop()) {
        problems.add("a client process did not end in order; see its log in " + scene.directory());
      }
      scene.tell("looking at all objects once more");
      long left = workers.last(problems);
      judgeLeft(left, faults);
      return judged(workers, faults, worked.seconds());
    }
  }

  /**
   * Who dies, or whose request is carried out late, while others go on moving what it moved, may
   * leave an entry (decision 0017). Most do not.
   */
  private void judgeLeft(long left, FaultRun faults) {
    long allowed =
        FaultEvents.counts(faults.events()).values().stream().mapToLong(Long::longValue).sum();
    scene.tell("entries that nothing refers to: %d, of at most %d".formatted(left, allowed));
    if (left > allowed) {
      problems.add(
          "nothing refers to %d entries of the store; after %d faults at most one each may stay"
              .formatted(left, allowed));
    }
  }

  private ObjectOrder order(KillableWorkers.Share share) {
    return new ObjectOrder(
        request.kind(),
        request.store(),
        request.stored(),
        scene.sites().places(),
        scene.catalog(),
        scene.cache(),
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
    return request.kind().root(ObjectOrder.object(request.kind(), number));
  }

  private CheckResult judged(KillableWorkers workers, FaultRun faults, double seconds) {
    List<Operation> all = workers.history();
    if (request.kind() == ObjectKind.LOCK) {
      problems.addAll(Leases.wrongTokens(all));
      all.addAll(Leases.ended(all));
    } else if (request.kind() instanceof VersionedKind) {
      all = Additions.oneByOne(all);
    }
    all.sort(Comparator.comparingLong(Operation::callNanos));
    History history = new History(all);
    scene.tell("judging %,d calls".formatted(all.size()));
    Finding finding = Finding.linearizable(history).of("linearizable per object");
    return TrialOutcome.of(request, workers.done(), faults, seconds, history, finding)
        .result(request.words(), scene.sites(), problems);
  }
}
