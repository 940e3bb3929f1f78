package io.ensemble.testkit.swmr;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.WriteOutcome;
import io.ensemble.WriterPresentException;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.OpenCache;
import io.ensemble.cache.StoreHandle;
import io.ensemble.cache.Unwrapped;
import io.ensemble.cache.mwmr.MwmrEngine;
import io.ensemble.cache.swmr.SwmrEngine;
import io.ensemble.primary.Leases;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.WriterId;
import io.ensemble.testkit.history.History;
import io.ensemble.testkit.history.HistoryRecorder;
import io.ensemble.testkit.history.HistoryRecorder.Pending;
import io.ensemble.testkit.history.LinearizabilityChecker;
import io.ensemble.testkit.history.LinearizabilityChecker.Options;
import io.ensemble.testkit.history.Verdict;
import io.ensemble.testkit.mwmr.MwmrCall;
import io.ensemble.testkit.mwmr.Values;
import io.ensemble.testkit.sim.Chances;
import io.ensemble.testkit.sim.FaultPlan;
import io.ensemble.testkit.sim.RandomFaults;
import io.ensemble.testkit.sim.SimClient;
import io.ensemble.testkit.sim.SimFederation;
import io.ensemble.testkit.sim.SimScheduler;
import io.ensemble.testkit.sim.SimScheduler.Ended;
import io.ensemble.testkit.sim.Trace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;

/**
 * Some processes at a few keys of one cache with a primary copy: the first writes and reads, the
 * second reads, and wants to write from some time on, the others read.
 */
final class SwmrWorkload {

  static final Leases LEASES = new Leases(400_000_000, 50_000_000);

  private static final Duration FAULTY = Duration.ofSeconds(8);
  private static final Duration LIMIT = Duration.ofMinutes(30);
  private static final int KEYS = 2;
  private static final int OPERATIONS = 60;

  /** What came of a run. */
  record Run(
      History history,
      Verdict verdict,
      Trace trace,
      boolean finished,
      long epochs,
      int done,
      int refused,
      int unknown,
      int otherWriter) {}

  private final Leases leases;
  private final SimFederation federation;
  private final HistoryRecorder recorder;
  private final SplittableRandom random;
  private final List<SwmrEngine> engines = new ArrayList<>();
  private long lastValue;
  private int done;
  private int refused;
  private int unknown;
  private int otherWriter;

  SwmrWorkload(long seed, int sites, int processes, Leases leases) {
    this.leases = leases;
    random = new SplittableRandom(seed);
    List<String> siteNames = IntStream.range(0, sites).mapToObj(i -> "s" + i).toList();
    List<String> clients = IntStream.range(0, processes).mapToObj(i -> "c" + i).toList();
    double each = new double[] {0, 0.005, 0.03}[random.nextInt(3)];
    RandomFaults faults =
        RandomFaults.all()
            .withMemoryLoss(false)
            .withChances(Chances.lossy(each).withDenied(random.nextDouble() * 0.1))
            .withEpisodes(random.nextInt(20))
            .withClientCrashes(random.nextInt(2));
    federation =
        SimFederation.builder()
            .sites(siteNames.toArray(String[]::new))
            .clients(processes)
            .seed(seed)
            .maxSkewMicros(20_000)
            .plan(FaultPlan.random(seed, siteNames, clients, FAULTY, faults))
            .build();
    federation.createStore("control", StoreKind.ACCEPTOR);
    federation.createStore("data", StoreKind.ACCEPTOR);
    recorder = HistoryRecorder.inMemory(federation.scheduler()::nanos, 100_000);
  }

  /** A store that is always there. */
  private record Direct(SiteStore open) implements StoreHandle {

    @Override
    public String site() {
      return open.site();
    }

    @Override
    public Optional<SiteStore> current() {
      return Optional.of(open);
    }

    @Override
    public CompletionStage<SiteStore> store(Deadline deadline) {
      return CompletableFuture.completedFuture(open);
    }
  }

  private OpenCache cache(SimClient client, String store) {
    Map<String, SiteStore> stores = federation.stores(client, store, StoreKind.ACCEPTOR);
    return new OpenCache(
        CacheDefinition.of(store, Mode.MWMR).sites(federation.siteNames()).build(),
        stores.values().stream().<StoreHandle>map(Direct::new).toList(),
        Optional.empty(),
        client.scheduler(),
        new HybridClock(client.scheduler()::epochMicros),
        new WriterId(client.random().nextLong(), client.random().nextLong()),
        CacheMetrics.NONE);
  }

  private SwmrEngine open(SimClient client) {
    MwmrEngine control = MwmrEngine.open(cache(client, "control"));
    SwmrEngine engine =
        SwmrEngine.open(cache(client, "data"), control, Bytes.of("data".getBytes(UTF_8)), leases);
    engines.add(engine);
    return engine;
  }

  Run run() {
    List<Session> sessions = new ArrayList<>();
    for (SimClient client : federation.clients()) {
      sessions.add(new Session(client, open(client), sessions.size()));
    }
    sessions.forEach(session -> session.scheduler.execute(session::next));
    Ended ended = federation.run(() -> sessions.stream().allMatch(Session::isFinished), LIMIT);
    federation.run(FAULTY);
    SimClient fresh = federation.newClient();
    Session last = new Session(fresh, open(fresh), 9);
    last.left = 0;
    for (int key = 0; key < KEYS; key++) {
      String name = "k" + key;
      last.busy = true;
      fresh.scheduler().execute(() -> last.perform(name, MwmrCall.read()));
      federation.run(() -> !last.busy, LIMIT);
    }
    History history = recorder.history();
    long epochs =
        engines.stream()
            .mapToLong(engine -> engine.term().map(t -> t.epoch()).orElse(0L))
            .max()
            .orElseThrow();
    return new Run(
        history,
        LinearizabilityChecker.check(history, Options.registers()),
        federation.trace(),
        ended == Ended.DONE,
        epochs,
        done,
        refused,
        unknown,
        otherWriter);
  }

  /** A user of one process. */
  private final class Session {

    final SimScheduler scheduler;
    private final SwmrEngine engine;
    private final SplittableRandom own;
    private final long writesFromNanos;
    private long number = recorder.newClient();
    private long seen;
    int left = OPERATIONS;
    boolean busy;

    Session(SimClient client, SwmrEngine engine, int index) {
      this.scheduler = client.scheduler();
      this.engine = engine;
      own = client.random().split();
      long now = scheduler.nanos();
      writesFromNanos =
          index == 0 ? now : index == 1 ? now + own.nextLong(6_000_000_000L) : Long.MAX_VALUE;
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
      boolean writes = scheduler.nanos() >= writesFromNanos && own.nextInt(3) > 0;
      MwmrCall call = writes ? MwmrCall.random(own, ++lastValue, seen, 0) : MwmrCall.read();
      perform("k" + own.nextInt(KEYS), call);
    }

    void perform(String key, MwmrCall call) {
      Pending pending = recorder.begin(number, key, call.op(), call.in());
      Duration timeout = Duration.ofMillis(own.nextInt(8) == 0 ? 60 : 1_500);
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
        unknown++;
        number = pending.unknown();
      } else if (outcome instanceof WriteOutcome.Refused
          || why instanceof QuorumUnavailableException) {
        refused++;
        number = pending.failed();
      } else if (why instanceof WriterPresentException) {
        otherWriter++;
        number = pending.failed();
      } else {
        throw new AssertionError("an operation failed", failure);
      }
      busy = false;
      scheduler.after(own.nextLong(1, 250_000_000), this::next);
    }
  }
}
