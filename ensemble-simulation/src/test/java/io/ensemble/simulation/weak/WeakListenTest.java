package io.ensemble.simulation.weak;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.ChangeEvent;
import io.ensemble.Mode;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.Payload;
import io.ensemble.cache.StoreHandle;
import io.ensemble.cache.listen.BuggyStream;
import io.ensemble.cache.listen.EncodedChangeStream;
import io.ensemble.cache.listen.ListenLimits;
import io.ensemble.cache.weak.OpenWeakCache;
import io.ensemble.envelope.EnvelopeCodec;
import io.ensemble.listen.MergerBug;
import io.ensemble.schedule.Deadline;
import io.ensemble.simulation.Fault;
import io.ensemble.simulation.MessageFaults;
import io.ensemble.simulation.RandomFaults;
import io.ensemble.simulation.SimClient;
import io.ensemble.simulation.SimFaultPlan;
import io.ensemble.simulation.SimFederation;
import io.ensemble.simulation.listen.ListenWorkload;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import io.ensemble.site.StoredEntry;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import io.ensemble.testkit.mwmr.HistoryPayloads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A listener of a WEAK cache is shown each write at most once, in the order of stamps, and the last
 * write of each key, unless the cache loses it afterwards.
 */
@Execution(ExecutionMode.CONCURRENT)
class WeakListenTest {

  private static final List<String> SITES = List.of("lyon", "oslo", "rome");
  private static final String CACHE = "news";
  private static final Duration FAULTY = Duration.ofSeconds(6);

  private record OpenStore(SiteStore store) implements StoreHandle {

    @Override
    public String site() {
      return store.site();
    }

    @Override
    public Optional<SiteStore> current() {
      return Optional.of(store);
    }

    @Override
    public CompletionStage<SiteStore> store(Deadline deadline) {
      return CompletableFuture.completedFuture(store);
    }
  }

  private record Run(
      ListenWorkload workload, SimFederation federation, List<UnseenSwapRecorder.Swap> unseen) {

    /**
     * Whether no site has this write or a later one, and a swap of an older entry had no answer: it
     * may have displaced the write.
     */
    boolean isLost(Bytes key, Stamp stamp) {
      return unseen.stream().anyMatch(swap -> swap.key().equals(key) && stamp.isAfter(swap.stamp()))
          && SITES.stream().allMatch(site -> stamp.isAfter(stampAt(site, key)));
    }

    private Stamp stampAt(String site, Bytes key) {
      StoredEntry entry = federation.contents(site, CACHE).orElseThrow().get(key);
      return entry == null ? Stamp.NONE : EnvelopeCodec.stampOf(entry.value());
    }
  }

  @Test
  void theLastWriteOfEachKeyIsShown() {
    judge(0, 20);
  }

  @Tag("nightly")
  @Test
  void theLastWriteOfEachKeyIsShownInMoreRuns() {
    judge(10_000, 600);
  }

  private static void judge(long firstSeed, int seeds) {
    long shown = 0;
    long written = 0;
    int restarts = 0;
    int lost = 0;
    for (long seed = firstSeed; seed < firstSeed + seeds; seed++) {
      Run run = run(seed, MergerBug.NONE);
      List<String> violations = run.workload().violations(run::isLost);
      assertThat(violations).as("seed=%d", seed).isEmpty();
      lost += run.workload().violations().isEmpty() ? 0 : 1;
      shown += run.workload().shown();
      written += run.workload().acknowledged();
      restarts += run.workload().restarts();
    }
    System.out.printf(
        "WEAK listener: %d seeds, %d acknowledged writes, %d shown, %d restarts, %d runs lost one%n",
        seeds, written, shown, restarts, lost);
    assertThat(lost).isLessThanOrEqualTo(seeds / 100);
    assertThat(shown).isGreaterThan(written / 4);
    assertThat(restarts).isPositive();
  }

  private static Run run(long seed, MergerBug bug) {
    SplittableRandom random = new SplittableRandom(seed);
    int processes = 3;
    double each = new double[] {0, 0.01, 0.05, 0.1}[random.nextInt(4)];
    RandomFaults faults =
        RandomFaults.all()
            .withMemoryLoss(false)
            .withChances(
                MessageFaults.lossy(each)
                    .withDuplicated(0) // A cache may lose writes by them without a trace.
                    .withDenied(random.nextDouble() * 0.2))
            .withEpisodes(random.nextInt(20))
            .withClientCrashes(0);
    SimFederation federation =
        SimFederation.builder()
            .sites(SITES.toArray(String[]::new))
            .clients(processes + 1)
            .seed(seed)
            .maxSkewMicros(seed % 3 == 0 ? 0 : 300_000)
            .plan(SimFaultPlan.random(seed, SITES, List.of("c0", "c1", "c2", "c3"), FAULTY, faults))
            .build();
    federation.createStore(CACHE, StoreKind.PLAIN);
    List<OpenWeakCache> engines = new ArrayList<>();
    List<UnseenSwapRecorder.Swap> unseen = new ArrayList<>();
    long gapNanos = random.nextBoolean() ? 20_000_000 : 200_000_000;
    ListenWorkload workload =
        new ListenWorkload(
            federation,
            client -> open(federation, client, engines, unseen),
            random.split(),
            bug,
            new ListenWorkload.Shape(
                1 + random.nextInt(4),
                processes,
                1 + random.nextInt(3),
                180,
                gapNanos,
                random.nextBoolean(),
                false,
                false,
                false));
    federation.run(workload::isFinished, Duration.ofMinutes(10));
    federation.run(FAULTY);
    federation.inject(new Fault.Change(MessageFaults.reliable()));
    federation.get(engines.get(0).engine().reconcile(), Duration.ofMinutes(10));
    workload.end();
    return new Run(workload, federation, unseen);
  }

  private static CacheEngine open(
      SimFederation federation,
      SimClient client,
      List<OpenWeakCache> engines,
      List<UnseenSwapRecorder.Swap> unseen) {
    List<StoreHandle> handles = new ArrayList<>();
    federation
        .stores(client, CACHE, StoreKind.PLAIN)
        .values()
        .forEach(
            store ->
                handles.add(new OpenStore(new UnseenSwapRecorder(store, client.name(), unseen))));
    OpenWeakCache engine =
        OpenWeakCache.open(
            new EngineContext(
                CacheDefinition.of(CACHE, Mode.WEAK)
                    .sites(SITES)
                    .tombstoneGrace(Duration.ofMinutes(10))
                    .build(),
                handles,
                Optional.of(SITES.get(engines.size() % SITES.size())),
                client.scheduler(),
                new HybridClock(client.scheduler()::epochMicros),
                new WriterId(client.random().nextLong(), client.random().nextLong()),
                CacheMetrics.NONE));
    engines.add(engine);
    return engine;
  }

  /** A site that is away may hold a write that no other site has. */
  @Test
  void aPositionStandsWhileASiteIsAway() {
    SimFederation federation =
        SimFederation.builder().sites(SITES.toArray(String[]::new)).clients(1).seed(3).build();
    federation.createStore(CACHE, StoreKind.PLAIN);
    SimClient reader = federation.clients().get(0);
    CacheEngine engine = open(federation, reader, new ArrayList<>(), new ArrayList<>());
    ListenLimits limits =
        new ListenLimits(
            1_000,
            100,
            100,
            1 << 20,
            1_000,
            Duration.ofSeconds(30),
            Duration.ofSeconds(30),
            Duration.ofMillis(200));
    federation.inject(new Fault.Cut(reader.name(), "rome", true, true));
    EncodedChangeStream stream =
        BuggyStream.open(engine::changes, null, limits, reader.scheduler(), MergerBug.NONE);
    federation.get(stream.ready(), Duration.ofMinutes(1));
    federation.run(Duration.ofMinutes(10));
    assertThat(stream.position().watermark()).as("never all sites").isZero();

    federation.inject(new Fault.Heal(reader.name(), "rome"));
    federation.run(Duration.ofMinutes(3));
    long covered = stream.position().watermark();
    assertThat(covered).isGreaterThan(federation.scheduler().epochMicros() - 300_000_000);

    federation.inject(new Fault.Cut(reader.name(), "rome", true, true));
    federation.run(Duration.ofMinutes(10));
    assertThat(stream.position().watermark()).isBetween(covered, covered + 60_000_000);
    stream.close();
  }

  /** As a program that keeps a mirror of a cache, while others write. */
  @Test
  void aMirrorReadFromAnySiteAfterTheOpeningMissesNothing() {
    for (long seed = 0; seed < 300; seed++) {
      mirror(seed);
    }
  }

  private static void mirror(long seed) {
    SimFederation federation =
        SimFederation.builder().sites(SITES.toArray(String[]::new)).clients(4).seed(seed).build();
    federation.createStore(CACHE, StoreKind.PLAIN);
    SplittableRandom random = new SplittableRandom(seed);
    List<OpenWeakCache> engines = new ArrayList<>();
    for (int client = 0; client < 3; client++) {
      SimClient writer = federation.clients().get(client);
      CacheEngine engine = open(federation, writer, engines, new ArrayList<>());
      writeRepeatedly(writer, engine, "k" + client, 20, random);
    }
    SimClient reader = federation.clients().get(3);
    CacheEngine engine = open(federation, reader, engines, new ArrayList<>());
    federation.run(Duration.ofNanos(random.nextLong(1, 100_000_000)));
    EncodedChangeStream stream =
        BuggyStream.open(
            engine::changes, null, ListenLimits.STANDARD, reader.scheduler(), MergerBug.NONE);
    federation.get(stream.ready(), Duration.ofMinutes(1));
    Map<String, Map<Bytes, Stamp>> mirrors = new HashMap<>();
    SITES.forEach(site -> mirrors.put(site, stamps(federation, site)));
    federation.run(Duration.ofSeconds(10));

    for (Optional<ChangeEvent<Bytes, Payload>> event = next(federation, stream);
        event.isPresent();
        event = next(federation, stream)) {
      if (event.get() instanceof ChangeEvent.Change<Bytes, Payload> change) {
        mirrors
            .values()
            .forEach(
                mirror ->
                    mirror.merge(
                        change.key(),
                        change.stamp().stamp(),
                        (one, other) -> one.isAfter(other) ? one : other));
      }
    }
    stream.close();
    SITES.forEach(
        site ->
            assertThat(mirrors.get(site))
                .as("a mirror read from %s; seed=%d", site, seed)
                .isEqualTo(stamps(federation, site)));
  }

  /** One after the other by one client, so that no older write displaces a newer one. */
  private static void writeRepeatedly(
      SimClient writer, CacheEngine engine, String key, int times, SplittableRandom random) {
    Deadline deadline = Deadline.after(Duration.ofMinutes(1), writer.scheduler());
    Payload value = HistoryPayloads.payload(times);
    writer
        .scheduler()
        .after(
            random.nextLong(10_000_000),
            () ->
                engine
                    .write(HistoryPayloads.key(key), value, deadline)
                    .thenRun(
                        () -> {
                          if (times > 1) {
                            writeRepeatedly(writer, engine, key, times - 1, random);
                          }
                        }));
  }

  private static Optional<ChangeEvent<Bytes, Payload>> next(
      SimFederation federation, EncodedChangeStream stream) {
    return federation.get(stream.next(Duration.ofMillis(1)), Duration.ofMinutes(1));
  }

  private static Map<Bytes, Stamp> stamps(SimFederation federation, String site) {
    Map<Bytes, Stamp> stamps = new HashMap<>();
    federation
        .contents(site, CACHE)
        .orElseThrow()
        .forEach((key, entry) -> stamps.put(key, EnvelopeCodec.stampOf(entry.value())));
    return stamps;
  }

  @ParameterizedTest
  @EnumSource(names = {"REPEATS_LAST", "SCANS_ONCE"})
  void aPlantedErrorIsFound(MergerBug bug) {
    for (long seed = 0; seed < 300; seed++) {
      List<String> wrong = run(seed, bug).workload().violations();
      if (!wrong.isEmpty()) {
        System.out.printf("%s is found by seed %d: %s%n", bug, seed, wrong.get(0));
        return;
      }
    }
    throw new AssertionError("not found: " + bug);
  }
}
