package io.ensemble.simulation.swmr;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.CacheDefinition;
import io.ensemble.CopyWindow;
import io.ensemble.Mode;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.WriteOutcome;
import io.ensemble.WriterPresentException;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.StoreHandle;
import io.ensemble.cache.mwmr.MwmrEngine;
import io.ensemble.cache.swmr.SwmrEngine;
import io.ensemble.primary.Term;
import io.ensemble.primary.TermLeaseRules;
import io.ensemble.schedule.Deadline;
import io.ensemble.simulation.Fault.ClientCrash;
import io.ensemble.simulation.Fault.LostState;
import io.ensemble.simulation.MessageFaults;
import io.ensemble.simulation.RandomFaults;
import io.ensemble.simulation.SimClient;
import io.ensemble.simulation.SimFaultPlan;
import io.ensemble.simulation.SimFederation;
import io.ensemble.simulation.SimScheduler;
import io.ensemble.simulation.SimScheduler.RunEnd;
import io.ensemble.simulation.SimTrace;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import io.ensemble.testkit.history.HistoryRecorder;
import io.ensemble.testkit.history.HistoryRecorder.Pending;
import io.ensemble.testkit.history.OperationHistory;
import io.ensemble.testkit.linearizability.LinearizabilityVerdict;
import io.ensemble.testkit.losses.FailoverLosses;
import io.ensemble.testkit.mwmr.HistoryPayloads;
import io.ensemble.testkit.mwmr.MwmrCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * Some processes at a few keys of one cache with a primary copy. The first process writes and
 * reads, the second one reads and from some time on also writes, and the others read.
 */
final class SwmrWorkload {

  static final TermLeaseRules LEASES = new TermLeaseRules(400_000_000, 50_000_000);

  private static final Duration FAULTY = Duration.ofSeconds(8);
  private static final Duration LIMIT = Duration.ofMinutes(30);
  private static final int KEYS = 2;
  private static final int OPERATIONS = 60;

  /** The result of a run. */
  record Run(
      OperationHistory history,
      LinearizabilityVerdict verdict,
      SimTrace trace,
      boolean finished,
      long epochs,
      int done,
      int refused,
      int unknown,
      int otherWriter,
      int together,
      FailoverLosses losses,
      List<String> mistakes) {}

  /**
   * How a run differs from one in which a majority acknowledges.
   *
   * @param window the window of the engines; empty if a majority acknowledges
   * @param bound the window that the judge assumes
   * @param reports whether reports of the engines reach the judge
   */
  record Acknowledging(Optional<CopyWindow> window, int bound, boolean reports) {

    static final Acknowledging MAJORITY = new Acknowledging(Optional.empty(), 0, true);

    static Acknowledging primary(int writes) {
      CopyWindow window = new CopyWindow(writes, Duration.ofSeconds(2));
      return new Acknowledging(Optional.of(window), writes, true);
    }
  }

  private final TermLeaseRules termLeaseRules;
  private final SimFederation federation;
  private final HistoryRecorder recorder;
  private final SplittableRandom random;
  private final List<SwmrEngine> engines = new ArrayList<>();
  private final Acknowledging acknowledging;
  private final int users;
  private final FailoverLosses losses;
  private long lastValue;
  private int done;
  private int refused;
  private int unknown;
  private int otherWriter;

  /** Writes with the stamp of another write: they were made in one batch. */
  private int together;

  private final Set<Stamp> stamps = new HashSet<>();

  SwmrWorkload(long seed, int sites, int processes, TermLeaseRules termLeaseRules) {
    this(seed, sites, processes, termLeaseRules, Acknowledging.MAJORITY);
  }

  SwmrWorkload(
      long seed,
      int sites,
      int processes,
      TermLeaseRules termLeaseRules,
      Acknowledging acknowledging) {
    this(seed, sites, processes, termLeaseRules, acknowledging, 1);
  }

  /** Many users of each process, all at one key, so that their writes are queued. */
  static SwmrWorkload ofCrowds(long seed, int sites) {
    return new SwmrWorkload(seed, sites, 3, LEASES, Acknowledging.MAJORITY, 6);
  }

  private SwmrWorkload(
      long seed,
      int sites,
      int processes,
      TermLeaseRules termLeaseRules,
      Acknowledging acknowledging,
      int users) {
    this.termLeaseRules = termLeaseRules;
    this.acknowledging = acknowledging;
    this.users = users;
    losses = new FailoverLosses(acknowledging.bound(), 0);
    random = new SplittableRandom(seed);
    List<String> siteNames = IntStream.range(0, sites).mapToObj(i -> "s" + i).toList();
    List<String> clients = IntStream.range(0, processes).mapToObj(i -> "c" + i).toList();
    double each = new double[] {0, 0.005, 0.03}[random.nextInt(3)];
    RandomFaults faults =
        RandomFaults.all()
            .withMemoryLoss(false)
            .withChances(MessageFaults.lossy(each).withDenied(random.nextDouble() * 0.1))
            .withEpisodes(random.nextInt(20))
            .withClientCrashes(random.nextInt(2));
    SimFaultPlan plan = SimFaultPlan.random(seed, siteNames, clients, FAULTY, faults);
    if (acknowledging.window().isPresent()) {
      plan = withTheFirstPrimaryLost(plan, siteNames);
    }
    federation =
        SimFederation.builder()
            .sites(siteNames.toArray(String[]::new))
            .clients(processes)
            .seed(seed)
            .maxSkewMicros(20_000)
            .plan(plan)
            .build();
    federation.createStore("control", StoreKind.ACCEPTOR);
    federation.createStore("data", StoreKind.ACCEPTOR);
    recorder = HistoryRecorder.inMemory(federation.scheduler()::nanos, 100_000);
  }

  /** Lets the writer reach only the primary for a while, and then stops the primary. */
  private SimFaultPlan withTheFirstPrimaryLost(SimFaultPlan plan, List<String> siteNames) {
    Duration at = Duration.ofMillis(300 + random.nextInt(1_500));
    Duration lost = at.plusMillis(100 + random.nextInt(300));
    SimFaultPlan with = plan.down("s0", LostState.REQUESTS, lost, lost.plusMillis(2_500));
    for (String site : siteNames.subList(1, siteNames.size())) {
      with = with.cut("c0", site, at, lost.plusMillis(random.nextInt(200)));
    }
    return random.nextInt(3) == 0 ? with.at(lost.plusMillis(2), new ClientCrash("c0")) : with;
  }

  /** A handle whose store is always open. */
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

  private EngineContext cache(SimClient client, String store) {
    Map<String, SiteStore> stores = federation.stores(client, store, StoreKind.ACCEPTOR);
    return new EngineContext(
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
        SwmrEngine.open(
            cache(client, "data"),
            control,
            Bytes.of("data".getBytes(UTF_8)),
            termLeaseRules,
            acknowledging.window());
    int process = engines.size();
    if (acknowledging.reports()) {
      engine.listen(report -> losses.report(process, report, federation.scheduler().nanos()));
    }
    engines.add(engine);
    return engine;
  }

  Run run() {
    List<Session> sessions = new ArrayList<>();
    for (SimClient client : federation.clients()) {
      SwmrEngine engine = open(client);
      int process = engines.size() - 1;
      for (int user = 0; user < users; user++) {
        sessions.add(new Session(client, engine, process));
      }
    }
    sessions.forEach(session -> session.scheduler.execute(session::next));
    if (acknowledging.window().isPresent()) {
      watch(sessions, federation.scheduler().nanos());
    }
    RunEnd ended = federation.run(() -> sessions.stream().allMatch(Session::isFinished), LIMIT);
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
    OperationHistory history = recorder.history();
    return new Run(
        history,
        losses.judge(history),
        federation.trace(),
        ended == RunEnd.DONE,
        epoch(term -> true),
        done,
        refused,
        unknown,
        otherWriter,
        together,
        losses,
        losses.mistakes(history));
  }

  private long epoch(Predicate<Term> which) {
    return engines.stream()
        .flatMap(engine -> engine.term().stream())
        .filter(which)
        .mapToLong(Term::epoch)
        .max()
        .orElse(0);
  }

  /** Records new epochs, when they had not been seen yet, and crashed writers. */
  private void watch(List<Session> sessions, long beforeNanos) {
    losses.seen(epoch(term -> true), beforeNanos, federation.scheduler().nanos());
    losses.active(epoch(Term::active), federation.scheduler().nanos());
    losses.whole(epoch(Term::isWhole), federation.scheduler().nanos());
    for (int i = 0; i < sessions.size(); i++) {
      if (sessions.get(i).scheduler.isStopped()) {
        losses.died(i);
      }
    }
    long now = federation.scheduler().nanos();
    federation.scheduler().after(2_000_000, () -> watch(sessions, now));
  }

  /** A user of one process. */
  private final class Session {

    final SimScheduler scheduler;
    private final SwmrEngine engine;
    private final int index;
    private final SplittableRandom own;
    private final long writesFromNanos;
    private long number = recorder.newClient();
    private long seen;
    int left = OPERATIONS;
    boolean busy;

    Session(SimClient client, SwmrEngine engine, int index) {
      this.scheduler = client.scheduler();
      this.engine = engine;
      this.index = index;
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
      perform("k" + own.nextInt(users == 1 ? KEYS : 1), call);
    }

    void perform(String key, MwmrCall call) {
      Pending pending = recorder.begin(number, key, call.op(), call.in());
      FailoverLosses.Write write =
          call.writes()
              ? losses.begin(index, key, call.written(), federation.scheduler().nanos())
              : null;
      Duration timeout = Duration.ofMillis(own.nextInt(8) == 0 ? 60 : 1_500);
      call.ask()
          .of(engine, HistoryPayloads.key(key), Deadline.after(timeout, scheduler))
          .whenComplete((outcome, failure) -> ended(pending, write, outcome, failure));
    }

    private void ended(
        Pending pending,
        FailoverLosses.Write write,
        WriteOutcome<Object> outcome,
        Throwable failure) {
      if (write != null) {
        losses.ended(write, outcome, federation.scheduler().nanos());
      }
      Throwable why = failure == null ? null : CompletionCause.of(failure);
      if (outcome instanceof WriteOutcome.Applied<Object> applied) {
        done++;
        if (applied.wrote() && !stamps.add(applied.stamp())) {
          together++;
        }
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
      boolean hurries = index == 0 && acknowledging.window().isPresent();
      long longest = users > 1 ? 10_000_000 : hurries ? 60_000_000 : 250_000_000;
      scheduler.after(own.nextLong(1, longest), this::next);
    }
  }
}
