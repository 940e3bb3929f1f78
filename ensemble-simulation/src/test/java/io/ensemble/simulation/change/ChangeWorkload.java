package io.ensemble.simulation.change;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.change.ChangeAction;
import io.ensemble.change.ChangeRules;
import io.ensemble.lease.ConfigurationLeaseRules;
import io.ensemble.migrate.ConfigurationFollower;
import io.ensemble.migrate.Mover;
import io.ensemble.simulation.Fault;
import io.ensemble.simulation.MessageFaults;
import io.ensemble.simulation.SimClient;
import io.ensemble.simulation.SimFederation;
import io.ensemble.simulation.SimScheduler.RunEnd;
import io.ensemble.simulation.change.ChangeUser.Shared;
import io.ensemble.testkit.history.HistoryRecorder;
import io.ensemble.testkit.linearizability.LinearizabilityChecker;
import io.ensemble.testkit.linearizability.LinearizabilityChecker.Options;
import io.ensemble.testkit.linearizability.LinearizabilityVerdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Some processes with users at a few keys of one cache, while the cache is changed. One process is
 * suspended from before the switch until long after it. The mover may die before any action.
 *
 * @param dies the index of the action before which the first mover dies; -1 for never
 * @param writer the process that writes an SWMR cache at first; process 0 is the one that is
 *     suspended
 * @param joined whether another process has joined the change, and takes it over by itself
 * @param cut whether the mover is cut off from two former sites for a while when it begins to seal
 * @param rate how many keys a second the mover copies; 0 for no limit
 * @param late whether the process is suspended from the lazy migration on, not from the sealing on
 * @param chances the faults of single messages
 */
record ChangeWorkload(
    CacheDefinition from,
    CacheDefinition to,
    int dies,
    int writer,
    boolean joined,
    boolean cut,
    long rate,
    boolean late,
    MessageFaults chances,
    ConfigurationLeaseRules trust,
    ChangeRules rules) {

  private static final int PROCESSES = 3;
  private static final int KEYS = 6;

  /** The result of a run. */
  record Run(
      StoredDefinition stored,
      LinearizabilityVerdict verdict,
      Shared shared,
      boolean finished,
      List<String> errands) {}

  static ChangeWorkload of(CacheDefinition from, CacheDefinition to) {
    return new ChangeWorkload(
        from,
        to,
        -1,
        0,
        false,
        false,
        0,
        false,
        MessageFaults.lossy(0.01),
        ConfigurationLeaseRules.STANDARD,
        new ChangeRules(ConfigurationLeaseRules.STANDARD));
  }

  ChangeWorkload dying(int errand) {
    return new ChangeWorkload(
        from, to, errand, writer, joined, cut, rate, late, chances, trust, rules);
  }

  ChangeWorkload with(ConfigurationLeaseRules others, ChangeRules otherRules) {
    return new ChangeWorkload(
        from, to, dies, writer, joined, cut, rate, late, chances, others, otherRules);
  }

  ChangeWorkload writing(int process) {
    return new ChangeWorkload(
        from, to, dies, process, joined, cut, rate, late, chances, trust, rules);
  }

  ChangeWorkload withAnotherThatJoined() {
    return new ChangeWorkload(from, to, dies, writer, true, cut, rate, late, chances, trust, rules);
  }

  ChangeWorkload cuttingTheMoverOff() {
    return new ChangeWorkload(
        from, to, dies, writer, joined, true, rate, late, chances, trust, rules);
  }

  ChangeWorkload paced(long keysPerSecond) {
    return new ChangeWorkload(
        from, to, dies, writer, joined, cut, keysPerSecond, late, chances, trust, rules);
  }

  ChangeWorkload sleepingLate() {
    return new ChangeWorkload(
        from, to, dies, writer, joined, cut, rate, true, chances, trust, rules);
  }

  Run run(long seed) {
    ChangeFixture scene = new ChangeFixture(seed, chances, trust, rules);
    SimFederation federation = scene.federation();
    scene.create(from);
    Shared shared = new Shared(HistoryRecorder.inMemory(federation.scheduler()::nanos, 100_000));
    AtomicBoolean away = new AtomicBoolean();
    List<ChangeUser> users = new ArrayList<>();
    List<SimClient> processes = new ArrayList<>();
    for (int i = 0; i < PROCESSES; i++) {
      SimClient client = federation.newClient();
      processes.add(client);
      ConfigurationFollower cache = i == 0 ? scene.open(client, away::get) : scene.open(client);
      for (int j = 0; j < 2; j++) {
        boolean writes = i == writer;
        users.add(new ChangeUser(client, cache, shared, from.mode(), writes, users.size(), KEYS));
      }
    }
    users.forEach(ChangeUser::start);
    federation.run(Duration.ofSeconds(2));

    List<String> errands = new ArrayList<>();
    SimClient sleeper = processes.get(0);
    SimClient first = federation.newClient();
    Mover mover =
        scene.alter(
            first,
            to,
            rate,
            errand -> {
              shared.cutover = errand instanceof ChangeAction.TakeOver;
              told(errand, errands, first, sleeper, away, federation);
            });
    Mover last = mover;
    if (joined) {
      last = scene.join(federation.newClient());
    }
    federation.run(
        () -> mover.completion().toCompletableFuture().isDone() || first.scheduler().isStopped(),
        ChangeFixture.LIMIT);
    if (first.scheduler().isStopped() && !joined) {
      federation.run(Duration.ofSeconds(3));
      last = scene.resume(federation.newClient());
    }
    Mover waited = last;
    RunEnd ended =
        federation.run(
            () -> waited.completion().toCompletableFuture().isDone(), ChangeFixture.LIMIT);
    sleeper.scheduler().wake(); // In case it is still suspended.
    away.set(false);
    federation.run(Duration.ofSeconds(8));
    shared.over = true;
    RunEnd all =
        federation.run(() -> users.stream().allMatch(ChangeUser::isFinished), ChangeFixture.LIMIT);
    SimClient late = federation.newClient();
    ChangeUser reader = new ChangeUser(late, scene.open(late), shared, Mode.MWMR, false, 0, KEYS);
    reader.readAll(0);
    federation.run(Duration.ofMinutes(1));
    return new Run(
        scene.stored(),
        LinearizabilityChecker.check(shared.recorder.history(), Options.registers()),
        shared,
        ended == RunEnd.DONE && all == RunEnd.DONE && reader.isIdle(),
        errands);
  }

  /**
   * After the switch the mover does not reach the former stores for a while. They are still there
   * when the suspended process resumes, and that process cannot read the record. Only the expiry of
   * its lease keeps it from using them.
   */
  private void told(
      ChangeAction errand,
      List<String> errands,
      SimClient mover,
      SimClient sleeper,
      AtomicBoolean away,
      SimFederation federation) {
    if (errands.size() == dies && errand instanceof ChangeAction.TakeOver && rate > 0) {
      mover.scheduler().after(2_000_000_000L, mover.scheduler()::stop); // In mid-migration.
    } else if (errands.size() == dies) {
      mover.scheduler().stop();
    }
    boolean first = !errands.contains("Remove");
    errands.add(errand.getClass().getSimpleName());
    if (late && errand instanceof ChangeAction.TakeOver) {
      federation.scheduler().after(500_000_000, sleeper.scheduler()::suspend);
      away.set(true);
    } else if (!late && errand instanceof ChangeAction.Seal) {
      sleeper.scheduler().suspend();
      if (cut && !away.get()) {
        for (String site : from.sites().subList(0, 2)) {
          federation.inject(new Fault.Cut(mover.name(), site, true, true));
          federation
              .scheduler()
              .after(3_000_000_000L, () -> federation.inject(new Fault.Heal(mover.name(), site)));
        }
      }
      away.set(true);
    } else if (errand instanceof ChangeAction.Remove && first) {
      for (String site : federation.siteNames()) {
        federation.inject(new Fault.Cut(mover.name(), site, true, true));
        federation
            .scheduler()
            .after(8_000_000_000L, () -> federation.inject(new Fault.Heal(mover.name(), site)));
      }
      federation.scheduler().after(100_000_000, sleeper.scheduler()::wake);
      federation.scheduler().after(4_000_000_000L, () -> away.set(false));
    }
  }
}
