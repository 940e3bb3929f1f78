package io.ensemble.simulation.mwmr;

import io.ensemble.cache.mwmr.MwmrInternals;
import io.ensemble.schedule.Deadline;
import io.ensemble.simulation.MessageFaults;
import io.ensemble.simulation.RandomFaults;
import io.ensemble.simulation.SimFaultPlan;
import io.ensemble.simulation.SimFederation;
import io.ensemble.simulation.SimScheduler;
import io.ensemble.simulation.SimScheduler.RunEnd;
import io.ensemble.simulation.SimTrace;
import io.ensemble.simulation.mwmr.MwmrSimCache.Opened;
import io.ensemble.stamp.Stamp;
import io.ensemble.testkit.history.HistoryRecorder;
import io.ensemble.testkit.history.OperationHistory;
import io.ensemble.testkit.linearizability.LinearizabilityChecker;
import io.ensemble.testkit.linearizability.LinearizabilityChecker.Options;
import io.ensemble.testkit.linearizability.LinearizabilityVerdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Several processes, each with its own engine and some users, at a few keys of one MWMR cache.
 *
 * @param sites how many sites
 * @param processes how many processes, crashing ones included
 * @param users how many users each process has
 * @param keys how many keys
 * @param operations how many operations each user does
 * @param gapNanos the longest rest between two operations of a user
 * @param expiring the share of the written values that expire, from 0 to 1
 * @param faults the other faults
 * @param wipes how many times a site is wiped and recovered under load
 * @param bug how the recovery is incorrect
 */
record MwmrWorkload(
    int sites,
    int processes,
    int users,
    int keys,
    int operations,
    long gapNanos,
    double expiring,
    RandomFaults faults,
    int wipes,
    RefillBug bug) {

  private static final Duration LIMIT = Duration.ofMinutes(60);

  /** The result of a run. */
  record Run(
      OperationHistory history,
      LinearizabilityVerdict verdict,
      SimTrace trace,
      Counters counters,
      boolean finished,
      int recovered,
      int busyKeys) {}

  /** A workload whose size and faults depend on the seed. */
  static MwmrWorkload of(int sites, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    double each = new double[] {0, 0.01, 0.05, 0.12}[random.nextInt(4)];
    MessageFaults chances = MessageFaults.lossy(each).withDenied(random.nextDouble() * 0.2);
    if (random.nextInt(3) == 0) {
      chances = chances.withDelay(Duration.ZERO, Duration.ofMillis(6), Duration.ofMillis(250));
    }
    RandomFaults faults =
        RandomFaults.all()
            .withMemoryLoss(random.nextBoolean())
            .withChances(chances)
            .withEpisodes(random.nextInt(25))
            .withClientCrashes(random.nextInt(3));
    int processes = 2 + random.nextInt(3);
    int users = 1 + random.nextInt(3);
    return new MwmrWorkload(
        sites,
        processes,
        users,
        1 + random.nextInt(3),
        160 / (processes * users),
        random.nextBoolean() ? 8_000_000 : 120_000_000,
        random.nextInt(3) == 0 ? 0.3 : 0,
        faults,
        0,
        RefillBug.NONE);
  }

  /** The same, with sites that are wiped and recovered. */
  MwmrWorkload withWipes(int number, RefillBug how) {
    return new MwmrWorkload(
        sites,
        processes,
        users,
        keys,
        operations,
        250_000_000,
        0,
        faults.withMemoryLoss(false),
        number,
        how);
  }

  /** The same with many users of each process, all at one key, so that their writes are queued. */
  MwmrWorkload withCrowds() {
    int many = 8;
    return new MwmrWorkload(
        sites,
        processes,
        many,
        1,
        240 / (processes * many),
        4_000_000,
        0,
        faults.withMemoryLoss(false),
        wipes,
        bug);
  }

  /** The same with long pauses and processes that sweep, so that tombstones become old enough. */
  MwmrWorkload withSweeps() {
    return new MwmrWorkload(
        sites,
        processes,
        users,
        keys,
        operations,
        60_000_000_000L,
        expiring,
        faults.withMemoryLoss(false),
        wipes,
        bug);
  }

  /** The same, with this share of the written values expiring, from 0 to 1. */
  MwmrWorkload withExpiring(double share) {
    return new MwmrWorkload(
        sites, processes, users, keys, operations, gapNanos, share, faults, wipes, bug);
  }

  private boolean sweeps() {
    return gapNanos > 10_000_000_000L;
  }

  /** The duration of the faults. */
  private Duration faulty() {
    return sweeps() ? Duration.ofMinutes(12) : Duration.ofSeconds(4);
  }

  Run run(long seed) {
    return run(seed, SimFaultPlan.random(seed, siteNames(), processNames(), faulty(), faults));
  }

  Run run(long seed, SimFaultPlan plan) {
    SimFederation federation =
        SimFederation.builder()
            .sites(siteNames().toArray(String[]::new))
            .clients(processes)
            .seed(seed)
            .maxSkewMicros(seed % 3 == 0 ? 0 : 50_000)
            .plan(plan)
            .build();
    MwmrSimCache cache = new MwmrSimCache(federation, Duration.ofSeconds(1));
    HistoryRecorder recorder =
        HistoryRecorder.inMemory(
            federation.scheduler()::nanos, 2 * processes * users * operations + keys);
    Shared shared = new Shared(recorder, new Counters());
    List<Opened> opened = federation.clients().stream().map(cache::open).toList();
    List<MwmrSession> sessions = new ArrayList<>();
    for (Opened process : opened) {
      for (int i = 0; i < users; i++) {
        sessions.add(new MwmrSession(process, shared, this, operations));
      }
    }
    sessions.forEach(MwmrSession::start);
    if (sweeps()) {
      opened.forEach(process -> sweepNowAndThen(process, shared));
    }
    MwmrOperator operator = new MwmrOperator(cache, cache.open(federation.newClient()), bug, wipes);
    operator.start();
    RunEnd ended =
        federation.run(
            () -> operator.isFinished() && sessions.stream().allMatch(MwmrSession::isFinished),
            LIMIT);
    readAtTheEnd(cache, shared);
    OperationHistory history = recorder.history();
    return new Run(
        history,
        LinearizabilityChecker.check(history, Options.registers()),
        federation.trace(),
        shared.counters(),
        ended == RunEnd.DONE,
        operator.recovered(),
        opened.stream()
            .filter(process -> !process.client().scheduler().isStopped())
            .mapToInt(process -> MwmrInternals.busyKeys(process.engine()))
            .sum());
  }

  private static void sweepNowAndThen(Opened process, Shared shared) {
    SimScheduler scheduler = process.client().scheduler();
    scheduler.after(
        process.client().random().nextLong(20_000_000_000L),
        () ->
            process
                .engine()
                .sweep(Deadline.after(Duration.ofSeconds(20), scheduler))
                .whenComplete(
                    (swept, failure) -> {
                      shared.counters().swept += swept == null ? 0 : swept.forgotten();
                      shared.counters().ended += swept == null ? 0 : swept.ended();
                      sweepNowAndThen(process, shared);
                    }));
  }

  List<String> siteNames() {
    return IntStream.range(0, sites).mapToObj(i -> "s" + i).toList();
  }

  List<String> processNames() {
    return IntStream.range(0, processes).mapToObj(i -> "c" + i).toList();
  }

  /** A new process reads all keys after the end of the faults. */
  private void readAtTheEnd(MwmrSimCache cache, Shared shared) {
    cache.federation().run(faulty());
    Opened last = cache.open(cache.federation().newClient());
    MwmrSession session = new MwmrSession(last, shared, this, 0);
    for (int key = 0; key < keys; key++) {
      session.readOnce(key);
      cache.federation().run(session::isFinished, LIMIT);
    }
  }

  /** The state that the users of one run share. */
  record Shared(HistoryRecorder recorder, Counters counters) {}

  /** The counters that the users of one run share. */
  static final class Counters {
    long lastValue;
    int unknown;
    int refused;
    int swept;
    int ended;

    /** Writes with the stamp of another write: they were made in one batch. */
    int together;

    private final Set<Stamp> stamps = new HashSet<>();

    void wrote(Stamp stamp) {
      together += stamps.add(stamp) ? 0 : 1;
    }

    long latestNanos = Long.MIN_VALUE;
  }
}
