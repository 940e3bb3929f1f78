package io.ensemble.testkit.swmr;

import io.ensemble.QuorumUnavailableException;
import io.ensemble.WriteOutcome;
import io.ensemble.WriterPresentException;
import io.ensemble.cache.Recoverable;
import io.ensemble.cache.Unwrapped;
import io.ensemble.cache.swmr.OpenSwmrCache;
import io.ensemble.schedule.Deadline;
import io.ensemble.testkit.history.HistoryRecorder;
import io.ensemble.testkit.history.HistoryRecorder.Pending;
import io.ensemble.testkit.history.LinearizabilityChecker;
import io.ensemble.testkit.history.LinearizabilityChecker.Options;
import io.ensemble.testkit.history.Verdict;
import io.ensemble.testkit.mwmr.MwmrCall;
import io.ensemble.testkit.mwmr.Values;
import io.ensemble.testkit.sim.Chances;
import io.ensemble.testkit.sim.Fault;
import io.ensemble.testkit.sim.Fault.Forgets;
import io.ensemble.testkit.sim.FaultPlan;
import io.ensemble.testkit.sim.RandomFaults;
import io.ensemble.testkit.sim.SimClient;
import io.ensemble.testkit.sim.SimFederation;
import io.ensemble.testkit.sim.SimScheduler;
import io.ensemble.testkit.sim.SimScheduler.Ended;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * Some processes at a few keys of an SWMR cache, all of whom want to write now and then, while one
 * site after the other loses its memory and is refilled.
 */
final class SwmrWipes {

  private static final Duration FAULTY = Duration.ofSeconds(60);
  private static final int KEYS = 2;
  private static final int OPERATIONS = 60;
  private static final int WIPES = 4;

  /** What came of a run. */
  record Run(Verdict verdict, boolean finished, int done, int otherWriter, int recovered) {}

  private final SplittableRandom random;
  private final SwmrScene scene;
  private final UnaryOperator<Recoverable> refill;
  private final HistoryRecorder recorder;
  private long lastValue;
  private int done;
  private int otherWriter;
  private int recovered;

  /**
   * @param refill how a site is refilled, given how it should be
   */
  SwmrWipes(long seed, int sites, UnaryOperator<Recoverable> refill) {
    random = new SplittableRandom(seed);
    this.refill = refill;
    List<String> siteNames = IntStream.range(0, sites).mapToObj(i -> "s" + i).toList();
    double each = new double[] {0, 0.005, 0.02}[random.nextInt(3)];
    RandomFaults faults =
        RandomFaults.all()
            .withMemoryLoss(false)
            .withChances(Chances.lossy(each).withDenied(random.nextDouble() * 0.1))
            .withEpisodes(random.nextInt(4))
            .withClientCrashes(0);
    SimFederation federation =
        SimFederation.builder()
            .sites(siteNames.toArray(String[]::new))
            .clients(3)
            .seed(seed)
            .maxSkewMicros(20_000)
            .plan(FaultPlan.random(seed, siteNames, List.of("c0", "c1", "c2"), FAULTY, faults))
            .build();
    scene = new SwmrScene(federation);
    recorder = HistoryRecorder.inMemory(federation.scheduler()::nanos, 100_000);
  }

  Run run() {
    SimFederation federation = scene.federation;
    List<Session> sessions = new ArrayList<>();
    for (SimClient client : federation.clients()) {
      sessions.add(new Session(client.scheduler(), scene.open(client), client.random().split()));
    }
    sessions.forEach(session -> session.scheduler.execute(session::next));
    SimClient operator = federation.newClient();
    wipe(operator, scene.open(operator));
    Ended ended =
        federation.run(
            () -> recovered == WIPES && sessions.stream().allMatch(Session::isFinished),
            SwmrScene.LONG);
    federation.run(FAULTY);
    readAll(federation);
    return new Run(
        LinearizabilityChecker.check(recorder.history(), Options.registers()),
        ended == Ended.DONE,
        done,
        otherWriter,
        recovered);
  }

  /** By somebody new, without each site in turn: each majority has to know. */
  private void readAll(SimFederation federation) {
    for (String site : federation.siteNames()) {
      federation.inject(new Fault.SiteDown(site, Forgets.REQUESTS));
      SimClient fresh = federation.newClient();
      Session last = new Session(fresh.scheduler(), scene.open(fresh), fresh.random().split());
      last.left = 0;
      for (int key = 0; key < KEYS; key++) {
        String name = "k" + key;
        last.busy = true;
        last.timeout = Duration.ofSeconds(60);
        fresh.scheduler().execute(() -> last.perform(name, MwmrCall.read()));
        federation.run(() -> !last.busy, SwmrScene.LONG);
      }
      federation.inject(new Fault.SiteUp(site));
    }
  }

  private void wipe(SimClient operator, OpenSwmrCache engine) {
    if (recovered == WIPES) {
      return;
    }
    after(
        random.nextLong(200, 6_000),
        () -> {
          List<String> sites = scene.federation.siteNames();
          String site = sites.get(random.nextInt(sites.size()));
          scene.federation.inject(new Fault.SiteDown(site, Forgets.STORES));
          after(
              random.nextLong(1, 3_000),
              () -> {
                scene.federation.inject(new Fault.SiteUp(site));
                recover(operator, engine, site);
              });
        });
  }

  private void recover(SimClient operator, OpenSwmrCache engine, String site) {
    scene
        .recover(operator, site, refill.apply(engine))
        .whenComplete(
            (back, failure) -> {
              if (failure != null) {
                after(random.nextLong(1, 500), () -> recover(operator, engine, site));
                return;
              }
              recovered++;
              wipe(operator, engine);
            });
  }

  private void after(long millis, Runnable task) {
    scene.federation.scheduler().after(Duration.ofMillis(millis).toNanos(), task);
  }

  /** A user of one process. */
  private final class Session {

    final SimScheduler scheduler;
    private final OpenSwmrCache engine;
    private final SplittableRandom own;
    private long number = recorder.newClient();
    private long seen;
    private Duration timeout = Duration.ofMillis(3_000);
    int left = OPERATIONS;
    boolean busy;

    Session(SimScheduler scheduler, OpenSwmrCache engine, SplittableRandom own) {
      this.scheduler = scheduler;
      this.engine = engine;
      this.own = own;
    }

    boolean isFinished() {
      return scheduler.isStopped() || (left == 0 && !busy);
    }

    void next() {
      if (left == 0) {
        return;
      }
      left--;
      busy = true;
      if (own.nextInt(10) == 0) {
        engine.resign();
      }
      boolean writes = own.nextInt(3) > 0;
      MwmrCall call = writes ? MwmrCall.random(own, ++lastValue, seen, 0) : MwmrCall.read();
      perform("k" + own.nextInt(KEYS), call);
    }

    void perform(String key, MwmrCall call) {
      Pending pending = recorder.begin(number, key, call.op(), call.in());
      call.ask()
          .of(engine, Values.key(key), Deadline.after(timeout, scheduler))
          .whenComplete((outcome, failure) -> ended(pending, outcome, failure));
    }

    private void ended(Pending pending, WriteOutcome<Object> outcome, Throwable failure) {
      Throwable why = failure == null ? null : Unwrapped.of(failure);
      if (outcome instanceof WriteOutcome.Applied<Object> applied) {
        done++;
        if (applied.result() instanceof Long value) {
          seen = value;
        }
        number = pending.ok(applied.result());
      } else if (outcome instanceof WriteOutcome.Unknown) {
        number = pending.unknown();
      } else if (outcome instanceof WriteOutcome.Refused
          || why instanceof QuorumUnavailableException) {
        number = pending.failed();
      } else if (why instanceof WriterPresentException) {
        otherWriter++;
        number = pending.failed();
      } else {
        throw new AssertionError("an operation failed", failure);
      }
      busy = false;
      scheduler.after(own.nextLong(1, 1_200_000_000), this::next);
    }
  }
}
