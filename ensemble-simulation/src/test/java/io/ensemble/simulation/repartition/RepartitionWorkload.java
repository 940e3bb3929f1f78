package io.ensemble.simulation.repartition;

import io.ensemble.DistributedDefinition;
import io.ensemble.catalog.definition.StoredDistribution;
import io.ensemble.lease.ConfigurationLeaseRules;
import io.ensemble.migrate.PartMover;
import io.ensemble.repartition.RepartitionAction;
import io.ensemble.repartition.RepartitionRules;
import io.ensemble.simulation.MessageFaults;
import io.ensemble.simulation.SimFederation;
import io.ensemble.simulation.SimScheduler.RunEnd;
import io.ensemble.simulation.repartition.RepartitionUser.Shared;
import io.ensemble.testkit.history.HistoryRecorder;
import io.ensemble.testkit.linearizability.LinearizabilityChecker;
import io.ensemble.testkit.linearizability.LinearizabilityChecker.Options;
import io.ensemble.testkit.linearizability.LinearizabilityVerdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Some processes with users at a few keys of a distributed cache whose parts are changed. One
 * process is suspended from before the marks until keys have been moved, and cannot read the record
 * for a while after that. The mover may die or be suspended at any action.
 *
 * @param ends the index of the action at which the first mover ends; -1 for never
 * @param sleeps after how many milliseconds of that action the mover is suspended, until another
 *     one has done its work; -1 if it dies before the action instead
 */
record RepartitionWorkload(
    DistributedDefinition from,
    DistributedDefinition to,
    int ends,
    int sleeps,
    RepartitionRules rules) {

  static final int MOVING = 4;
  private static final int STAYING = 3;
  private static final int PROCESSES = 3;

  /** The result of a run. */
  record Run(
      StoredDistribution stored,
      LinearizabilityVerdict verdict,
      Shared shared,
      boolean finished,
      List<String> errands,
      long moved) {}

  static RepartitionWorkload of(DistributedDefinition from, DistributedDefinition to) {
    return new RepartitionWorkload(
        from, to, -1, -1, new RepartitionRules(ConfigurationLeaseRules.STANDARD));
  }

  RepartitionWorkload dying(int errand) {
    return new RepartitionWorkload(from, to, errand, -1, rules);
  }

  RepartitionWorkload sleeping(int errand, int afterMillis) {
    return new RepartitionWorkload(from, to, errand, afterMillis, rules);
  }

  RepartitionWorkload with(RepartitionRules others) {
    return new RepartitionWorkload(from, to, ends, sleeps, others);
  }

  Run run(long seed) {
    RepartitionFixture scene = new RepartitionFixture(seed, MessageFaults.lossy(0.01), rules, from);
    SimFederation federation = scene.federation();
    Shared shared =
        new Shared(
            HistoryRecorder.inMemory(federation.scheduler()::nanos, 100_000),
            RepartitionFixture.keys(from, to, MOVING, STAYING));
    AtomicBoolean away = new AtomicBoolean();
    List<RepartitionUser> users = new ArrayList<>();
    RepartitionFixture.Process sleeper = scene.process(away::get);
    for (int i = 0; i < PROCESSES; i++) {
      RepartitionFixture.Process process = i == 0 ? sleeper : scene.process();
      for (int j = 0; j < 2; j++) {
        users.add(new RepartitionUser(process, shared, MOVING));
      }
    }
    users.forEach(RepartitionUser::start);
    federation.run(Duration.ofSeconds(2));

    List<String> errands = new ArrayList<>();
    AtomicBoolean gone = new AtomicBoolean();
    RepartitionFixture.Process first = scene.process();
    shared.changing = true;
    PartMover mover =
        first.alter(
            to,
            errand -> {
              if (errands.size() == ends) {
                leave(first, gone, federation);
              }
              told(errand, errands, sleeper, away, federation);
            });
    federation.run(
        () -> mover.completion().toCompletableFuture().isDone() || gone.get(),
        RepartitionFixture.LIMIT);
    PartMover last = mover;
    if (gone.get()) {
      federation.run(Duration.ofSeconds(3));
      last = scene.process().resume();
    }
    PartMover waited = last;
    RunEnd ended =
        federation.run(
            () -> waited.completion().toCompletableFuture().isDone(), RepartitionFixture.LIMIT);
    shared.changing = false;
    sleeper.client.scheduler().wake(); // In case it is still suspended.
    away.set(false);
    federation.run(Duration.ofSeconds(2));
    if (sleeps >= 0) {
      first.client.scheduler().wake();
    }
    federation.run(Duration.ofSeconds(6));
    shared.over = true;
    RunEnd all =
        federation.run(
            () -> users.stream().allMatch(RepartitionUser::isFinished), RepartitionFixture.LIMIT);
    RepartitionUser reader = new RepartitionUser(scene.process(), shared, MOVING);
    reader.readAll(0);
    federation.run(Duration.ofMinutes(1));
    return new Run(
        scene.stored(),
        LinearizabilityChecker.check(shared.recorder.history(), Options.registers()),
        shared,
        ended == RunEnd.DONE && all == RunEnd.DONE && reader.isIdle(),
        errands,
        mover.moved() + (last == mover ? 0 : last.moved()));
  }

  private void leave(
      RepartitionFixture.Process mover, AtomicBoolean gone, SimFederation federation) {
    if (sleeps >= 0) {
      federation
          .scheduler()
          .after(
              sleeps * 1_000_000L,
              () -> {
                mover.client.scheduler().suspend();
                gone.set(true);
              });
    } else {
      mover.client.scheduler().stop();
      gone.set(true);
    }
  }

  private void told(
      RepartitionAction errand,
      List<String> errands,
      RepartitionFixture.Process sleeper,
      AtomicBoolean away,
      SimFederation federation) {
    errands.add(errand.getClass().getSimpleName());
    if (errand instanceof RepartitionAction.PutMarks) {
      sleeper.client.scheduler().suspend();
      away.set(true);
    } else if (errand instanceof RepartitionAction.Finish) {
      federation.scheduler().after(100_000_000, sleeper.client.scheduler()::wake);
      federation.scheduler().after(4_000_000_000L, () -> away.set(false));
    }
  }
}
