package io.ensemble.simulation.swmr;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.ChangeEvent;
import io.ensemble.ChangeEvent.Change;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.Payload;
import io.ensemble.cache.listen.BuggyStream;
import io.ensemble.cache.listen.EncodedChangeStream;
import io.ensemble.cache.listen.ListenLimits;
import io.ensemble.cache.swmr.OpenSwmrCache;
import io.ensemble.listen.ChangeMerger;
import io.ensemble.listen.MergerBug;
import io.ensemble.simulation.Fault;
import io.ensemble.simulation.MessageFaults;
import io.ensemble.simulation.RandomFaults;
import io.ensemble.simulation.SimClient;
import io.ensemble.simulation.SimFaultPlan;
import io.ensemble.simulation.SimFederation;
import io.ensemble.simulation.listen.ListenWorkload;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;
import io.ensemble.testkit.mwmr.HistoryPayloads;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A listener of an SWMR cache is shown each chosen write at most once, in order and when it can be
 * read. A write that it is not shown was overwritten.
 */
@Execution(ExecutionMode.CONCURRENT)
class SwmrListenTest {

  private static final Duration FAULTY = Duration.ofSeconds(12);

  @ParameterizedTest
  @ValueSource(ints = {3, 5})
  void everyWriteIsShownOnceInOrderOrOverwritten(int sites) {
    judge(sites, 0, 12);
  }

  @Tag("nightly")
  @ParameterizedTest
  @ValueSource(ints = {1, 3, 4, 5})
  void moreWritesAreShownOnceInOrderOrOverwritten(int sites) {
    judge(sites, 10_000, 300);
  }

  private static void judge(int sites, long firstSeed, int seeds) {
    long shown = 0;
    long written = 0;
    int restarts = 0;
    for (long seed = firstSeed; seed < firstSeed + seeds; seed++) {
      ListenWorkload run = run(sites, seed, MergerBug.NONE);
      assertThat(run.violations()).as("sites=%d seed=%d", sites, seed).isEmpty();
      shown += run.shown();
      written += run.acknowledged();
      restarts += run.restarts();
    }
    System.out.printf(
        "SWMR listener over %d sites: %d seeds, %d acknowledged writes, %d shown, %d restarts%n",
        sites, seeds, written, shown, restarts);
    assertThat(shown).isGreaterThan(written / 4);
    assertThat(restarts).isPositive();
  }

  /** The first process writes; others take over when it is cut off or has crashed. */
  private static ListenWorkload run(int siteCount, long seed, MergerBug bug) {
    SplittableRandom random = new SplittableRandom(seed);
    List<String> sites = IntStream.range(0, siteCount).mapToObj(i -> "s" + i).toList();
    int processes = 2;
    List<String> clients = IntStream.rangeClosed(0, processes).mapToObj(i -> "c" + i).toList();
    double each = new double[] {0, 0.01, 0.05}[random.nextInt(3)];
    RandomFaults faults =
        RandomFaults.all()
            .withMemoryLoss(false)
            .withChances(MessageFaults.lossy(each).withDenied(random.nextDouble() * 0.1))
            .withEpisodes(random.nextInt(16))
            .withClientCrashes(0);
    SimFederation federation =
        SimFederation.builder()
            .sites(sites.toArray(String[]::new))
            .clients(processes + 1)
            .seed(seed)
            .maxSkewMicros(seed % 3 == 0 ? 0 : 50_000)
            .plan(SimFaultPlan.random(seed, sites, clients, FAULTY, faults))
            .build();
    SwmrSimCache cache = new SwmrSimCache(federation, Duration.ofMinutes(10));
    long gapNanos = random.nextBoolean() ? 20_000_000 : 200_000_000;
    ListenWorkload workload =
        new ListenWorkload(
            federation,
            cache::open,
            random.split(),
            bug,
            new ListenWorkload.Shape(
                1 + random.nextInt(4),
                processes,
                1 + random.nextInt(2),
                160,
                gapNanos,
                random.nextBoolean(),
                false,
                true,
                true));
    federation.run(workload::isFinished, Duration.ofMinutes(10));
    federation.run(FAULTY);
    federation.inject(new Fault.Change(MessageFaults.reliable()));
    workload.end();
    return workload;
  }

  @ParameterizedTest
  @EnumSource(names = {"REPEATS_LAST", "SCANS_ONCE"})
  void aPlantedErrorIsFound(MergerBug bug) {
    for (long seed = 0; seed < 300; seed++) {
      List<String> wrong = run(3, seed, bug).violations();
      if (!wrong.isEmpty()) {
        System.out.printf("%s is found by seed %d: %s%n", bug, seed, wrong.get(0));
        return;
      }
    }
    throw new AssertionError("not found: " + bug);
  }

  private static final Bytes KEY = HistoryPayloads.key("k");

  private static EncodedChangeStream listen(SimClient client, OpenSwmrCache engine) {
    ListenLimits limits =
        new ListenLimits(
            1_000,
            100,
            100,
            1 << 20,
            1_000,
            Duration.ofMinutes(1),
            Duration.ofMinutes(1),
            Duration.ofMillis(200));
    return BuggyStream.open(engine::changes, null, limits, client.scheduler(), MergerBug.NONE);
  }

  private static Stamp write(SwmrSimCache cache, OpenSwmrCache engine, SimClient client, long n) {
    WriteOutcome<Void> outcome =
        cache.get(engine.write(KEY, HistoryPayloads.payload(n), SwmrSimCache.soon(client)));
    return ((WriteOutcome.Applied<Void>) outcome).stamp();
  }

  /** A report makes the stream read the key; it does not wait for a tick or a round. */
  @Test
  void aWriteIsShownAfterAFewRoundTrips() {
    SimFederation federation =
        SimFederation.builder().sites("s0", "s1", "s2").clients(2).seed(1).build();
    SwmrSimCache cache = new SwmrSimCache(federation);
    SimClient writer = federation.clients().get(0);
    SimClient reader = federation.clients().get(1);
    OpenSwmrCache writing = cache.open(writer);
    write(cache, writing, writer, 1);
    EncodedChangeStream stream = listen(reader, cache.open(reader));
    cache.get(stream.ready());
    federation.run(Duration.ofSeconds(2)); // The writer's term is known.

    for (long n = 2; n < 12; n++) {
      Stamp stamp = write(cache, writing, writer, n);
      Optional<ChangeEvent<Bytes, Payload>> event = cache.get(stream.next(Duration.ofMillis(100)));
      assertThat(event).as("write %d in time", n).isPresent();
      assertThat(((Change<Bytes, Payload>) event.get()).stamp().stamp()).isEqualTo(stamp);
    }
    stream.close();
  }

  /** Its site has no say any more, and what it holds is no longer the cache. */
  @Test
  void aListenerThatReachesOnlyTheSiteThatWasLeftDoesNotAdvance() {
    SimFederation federation = SimFederation.builder().sites("s0", "s1").clients(2).seed(2).build();
    SwmrSimCache cache = new SwmrSimCache(federation);
    SimClient writer = federation.clients().get(0);
    SimClient reader = federation.clients().get(1);
    OpenSwmrCache writing = cache.open(writer);
    write(cache, writing, writer, 1);
    boolean[] isAway = new boolean[1];
    EncodedChangeStream stream = listen(reader, cache.open(reader, () -> isAway[0]));
    cache.get(stream.ready());
    federation.run(Duration.ofMinutes(3));
    long cutMicros = federation.scheduler().epochMicros();
    assertThat(stream.position().watermark()).isGreaterThan(cutMicros - 300_000_000);

    isAway[0] = true;
    federation.inject(new Fault.Cut(reader.name(), "s0", true, true));
    federation.inject(new Fault.Cut(writer.name(), "s1", true, true));
    cache.get(cache.goOnAt(writer, "s0", writing));
    cache.get(cache.look(writing));
    write(cache, writing, writer, 2);
    federation.run(Duration.ofMinutes(10));

    assertThat(stream.position().watermark())
        .as("no round counts without the present voter set")
        .isLessThanOrEqualTo(cutMicros + 10_000_000 - ChangeMerger.LATE_MICROS);
    stream.close();
  }
}
