package io.ensemble.heat;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.ensemble.CacheOperationRecorder;
import io.ensemble.codec.Codec;
import io.ensemble.heat.HeatMap.EstimatedCount;
import io.ensemble.heat.HeatMap.HotKey;
import io.ensemble.heat.HeatMap.SiteLoad;
import io.ensemble.heat.HeatMap.ValueSizes;
import io.ensemble.site.Bytes;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Recorders of several processes, with clocks that only the tests advance. */
@Timeout(120)
class HeatRecorderTest {

  private static final Codec CODEC = new Codec(List.of());
  private static final long MINUTE = 60_000;

  private final AtomicLong millis = new AtomicLong(1_000 * MINUTE);
  private final AtomicLong nanos = new AtomicLong();
  private final MemoryEntries entries = new MemoryEntries();

  /** A process that records. */
  private final class Process {
    final HeatRecorder recorder;

    Process(HeatSettings settings, long aheadMillis) {
      recorder = new HeatRecorder(settings, () -> millis.get() + aheadMillis);
      recorder.start(() -> entries, false);
    }

    CacheOperationRecorder cache(String name) {
      return requireNonNull(recorder.cacheOpened(name, false));
    }

    void read(String cache, String key, int times) {
      for (int i = 0; i < times; i++) {
        cache(cache).read(CODEC.encode(key), 10);
      }
    }

    void publish() {
      recorder.endWindow();
      requireNonNull(recorder.publisher()).publish();
    }
  }

  private Process process() {
    return new Process(HeatSettings.DEFAULT, 0);
  }

  private HeatMap map(String cache, int minutes) {
    return map(cache, minutes, HeatMaps.ReadBounds.STANDARD);
  }

  private HeatMap map(String cache, int minutes, HeatMaps.ReadBounds bounds) {
    return new HeatMaps(() -> Optional.of(entries), millis::get, nanos::get, bounds)
        .read(cache, Duration.ofMinutes(minutes), 10);
  }

  /** Lists processes that have published nothing, by minutes, until now. */
  private void list(String cache, int processes) {
    for (int i = 0; i < processes; i++) {
      HeatClients.Client client =
          new HeatClients.Client("silent" + i, MINUTE, millis.get() + MINUTE);
      entries.change(
          ClosedWindow.clientsKey(cache, HeatClients.slot(client.id())),
          present -> HeatClients.of(present).with(client, 0).toBytes(),
          Duration.ofHours(1));
    }
  }

  private static HotKey hot(String key, long operations) {
    return new HotKey(key, new EstimatedCount(operations, operations, operations));
  }

  @Test
  void windowsOfAllProcessesAreMerged() {
    Process lyon = process();
    Process oslo = process();
    lyon.read("stock", "a", 3);
    lyon.cache("stock").write(CODEC.encode("b"), 30);
    lyon.cache("stock").request("lyon", false, -1);
    lyon.cache("stock").request("rome", true, -1);
    oslo.read("stock", "a", 4);
    oslo.cache("stock").request("lyon", false, -1);
    oslo.cache("stock").request("lyon", true, -1);
    oslo.read("other", "c", 1);
    millis.addAndGet(MINUTE);
    lyon.publish();
    oslo.publish();
    lyon.read("stock", "b", 5);
    millis.addAndGet(MINUTE);
    lyon.publish();
    oslo.publish();

    HeatMap map = map("stock", 10);

    assertThat(map.processes()).isEqualTo(2);
    assertThat(map.reads()).isEqualTo(12);
    assertThat(map.writes()).isEqualTo(1);
    assertThat(map.operations()).isEqualTo(13);
    assertThat(map.keys()).containsExactly(hot("a", 7), hot("b", 6));
    assertThat(map.distinctKeys().estimate()).isEqualTo(2);
    assertThat(map.sizes()).isEqualTo(new ValueSizes(10, 30, 30));
    assertThat(map.sites())
        .containsExactly(new SiteLoad("lyon", 2, 1, 0.75), new SiteLoad("rome", 0, 1, 0.25));
    assertThat(map.intervals()).hasSize(2);
    assertThat(map.intervals().get(0).keys()).containsExactly(7L, 1L);
    assertThat(map.intervals().get(1).keys()).containsExactly(0L, 5L);
    assertThat(map.intervals().get(1).start().toEpochMilli()).isEqualTo(1_001 * MINUTE);
    assertThat(map("stock", 1).reads()).as("the last window only").isEqualTo(5);
    assertThat(map("absent", 10).operations()).isZero();
  }

  @Test
  void aHeatMapWithoutPublishedWindowsIsEmpty() {
    HeatMap map =
        new HeatMaps(Optional::empty, millis::get, nanos::get, HeatMaps.ReadBounds.STANDARD)
            .read("stock", Duration.ofMinutes(1), 5);

    assertThat(map.operations()).isZero();
    assertThat(map.keys()).isEmpty();
    assertThat(map.sizes()).isNull();
  }

  @Test
  void clocksOfProcessesMayDiffer() {
    Process behind = new Process(HeatSettings.DEFAULT, -3 * MINUTE);
    Process ahead = new Process(HeatSettings.DEFAULT, MINUTE + 500);
    behind.read("stock", "a", 1);
    ahead.read("stock", "a", 2);
    millis.addAndGet(MINUTE);
    behind.publish();
    ahead.publish();

    assertThat(map("stock", 10).reads()).isEqualTo(3);
    assertThat(map("stock", 2).reads()).as("the time is that of the process").isEqualTo(2);
  }

  @Test
  void aClockThatIsSetBackOverwritesNoWindow() {
    Process process = process();
    process.read("stock", "a", 1);
    millis.addAndGet(MINUTE);
    process.publish();
    process.read("stock", "a", 2);
    millis.addAndGet(MINUTE);
    process.publish();
    millis.addAndGet(-30_000);
    process.read("stock", "a", 4);
    process.publish();
    assertThat(map("stock", 10).reads()).as("the window is still open").isEqualTo(3);
    millis.addAndGet(-4 * MINUTE);
    process.publish();
    for (int i = 0; i < 5; i++) {
      process.read("stock", "a", 8);
      millis.addAndGet(MINUTE);
      process.publish();
    }

    assertThat(map("stock", 20).reads()).isEqualTo(47);
    assertThat(map("stock", 20).processes()).as("ids").isEqualTo(2);
  }

  @Test
  void cachesBeyondTheBoundAreOnlyCounted() {
    Process process = new Process(HeatSettings.DEFAULT.withCaches(2), 0);
    process.read("a", "k", 1);
    process.read("b", "k", 1);
    process.read("c", "k", 3);

    millis.addAndGet(MINUTE);
    process.publish();
    assertThat(process.recorder.missedOperations()).isEqualTo(3);
    assertThat(map("a", 10).reads() + map("b", 10).reads()).isEqualTo(2);
    assertThat(map("c", 10).reads()).isZero();

    process.read("c", "k", 5);
    process.read("b", "k", 1);
    process.read("a", "k", 2);
    millis.addAndGet(MINUTE);
    process.publish();
    assertThat(map("c", 10).reads()).as("each window begins anew").isEqualTo(5);
    assertThat(process.recorder.missedOperations()).isEqualTo(5);
  }

  @Test
  void namesOfCachesAreBounded() {
    HeatRecorder recorder = new HeatRecorder(HeatSettings.DEFAULT, millis::get);
    for (int i = 0; i < HeatRecorder.MOST_NAMES; i++) {
      assertThat(recorder.cacheOpened("c" + i, false)).isNotNull();
    }

    assertThat(recorder.cacheOpened("one more", false)).isNull();
    assertThat(recorder.cacheOpened("c7", false)).isSameAs(recorder.cacheOpened("c7", false));
  }

  @Test
  void theCacheOfWindowsIsNotRecorded() {
    assertThat(process().recorder.cacheOpened(HeatMaps.CACHE, false)).isNull();
  }

  @Test
  void aCacheThatIsCreatedAgainAsPrivateReturnsItsPlace() {
    Process process = new Process(HeatSettings.DEFAULT.withCaches(1), 0);
    process.read("a", "plain", 1);
    CacheOperationRecorder now = requireNonNull(process.recorder.cacheOpened("a", true));
    now.read(Bytes.of(new byte[16]), 5);

    millis.addAndGet(MINUTE);
    process.publish();

    assertThat(map("a", 10).keys()).containsExactly(hot("hmac:" + "00".repeat(16), 1));
    assertThat(process.recorder.missedOperations()).isZero();
  }

  @Test
  void aFailedOrUnknownPublicationIsRepeatedAndCountsOnce() {
    Process process = process();
    process.read("stock", "a", 3);
    millis.addAndGet(MINUTE);
    entries.failures = 3;
    entries.applies = true;

    for (int i = 0; i < 20; i++) {
      process.publish();
    }

    assertThat(entries.puts.values()).containsExactly(4);
    assertThat(map("stock", 10).reads()).isEqualTo(3);
    assertThat(requireNonNull(process.recorder.publisher()).waiting()).isZero();
    assertThat(process.recorder.droppedWindows()).isZero();
  }

  @Test
  void aWindowThatAlwaysFailsIsDropped() {
    Process process = process();
    process.read("stock", "a", 3);
    millis.addAndGet(MINUTE);
    entries.failures = Integer.MAX_VALUE;

    for (int i = 0; i < 500; i++) {
      process.publish();
    }

    assertThat(entries.puts.values()).containsExactly(WindowPublisher.MOST_ATTEMPTS);
    assertThat(process.recorder.droppedWindows()).isEqualTo(1);
    assertThat(requireNonNull(process.recorder.publisher()).waiting()).isZero();
  }

  @Test
  void ofTooManyWaitingWindowsTheOldestAreDropped() {
    Process process = process();
    entries.failures = 1;
    for (int i = 0; i < WindowPublisher.MOST_WAITING + 3; i++) {
      process.read("stock", "a", 1);
      millis.addAndGet(MINUTE);
      process.recorder.endWindow();
    }
    WindowPublisher publisher = requireNonNull(process.recorder.publisher());

    assertThat(publisher.waiting()).isEqualTo(WindowPublisher.MOST_WAITING);
    assertThat(publisher.dropped()).isEqualTo(3);
    publisher.publishNow();
    publisher.publishNow();
    assertThat(publisher.waiting()).isZero();
    assertThat(entries.puts).hasSize(WindowPublisher.MOST_WAITING);
  }

  @Test
  void aLostAnnouncementIsRepeatedWithTheNextWindow() {
    Process process = process();
    process.read("stock", "a", 1);
    millis.addAndGet(MINUTE);
    process.publish();
    assertThat(entries.entries.keySet().removeIf(key -> key.startsWith("clients/"))).isTrue();
    assertThat(map("stock", 10).reads()).isZero();

    process.read("stock", "a", 1);
    millis.addAndGet(MINUTE);
    process.publish();

    assertThat(map("stock", 10).reads()).isEqualTo(2);
  }

  @Test
  void anUnreadableWindowIsLeftOutAndCounted() {
    Process process = process();
    process.read("stock", "a", 1);
    millis.addAndGet(MINUTE);
    process.publish();
    entries.entries.replaceAll(
        (key, value) -> key.startsWith("window/") ? new byte[] {1, 2, 3, 4, 5, 6} : value);

    HeatMap map = map("stock", 10);

    assertThat(map.unreadable()).isEqualTo(1);
    assertThat(map.operations()).isZero();
  }

  @Test
  void noOperationIsLostWhileWindowsEnd() throws Exception {
    Process process = process();
    CacheOperationRecorder cache = process.cache("stock");
    ExecutorService threads = Executors.newFixedThreadPool(4);
    List<Future<?>> all = new ArrayList<>();
    try {
      for (int thread = 0; thread < 4; thread++) {
        all.add(
            threads.submit(
                () -> {
                  for (int i = 0; i < 20_000; i++) {
                    cache.write(CODEC.encode("k" + i % 100), 8);
                    cache.request("lyon", true, -1);
                  }
                }));
      }
      while (all.stream().anyMatch(one -> !one.isDone())) {
        millis.addAndGet(MINUTE);
        process.recorder.endWindow();
        requireNonNull(process.recorder.publisher()).publishNow();
      }
      for (Future<?> one : all) {
        one.get();
      }
    } finally {
      threads.shutdown();
    }
    millis.addAndGet(MINUTE);
    process.recorder.endWindow();
    requireNonNull(process.recorder.publisher()).publishNow();

    long writes =
        entries.entries.entrySet().stream()
            .filter(entry -> entry.getKey().startsWith("window/"))
            .mapToLong(entry -> HeatSketch.of(entry.getValue()).writes())
            .sum();
    assertThat(writes + process.recorder.missedOperations()).isEqualTo(80_000);
    assertThat(writes).isGreaterThan(79_000);
  }

  @Test
  void metersShowTheLastWindow() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    Process process = process();
    process.recorder.bindTo(registry);
    process.read("stock", "a", 3);
    process.cache("stock").write(CODEC.encode("b"), 40);
    millis.addAndGet(MINUTE);
    process.publish();

    assertThat(gauge(registry, "ensemble.heat.hottest.key.share")).isEqualTo(0.75);
    assertThat(gauge(registry, "ensemble.heat.write.share")).isEqualTo(0.25);
    assertThat(Math.round(gauge(registry, "ensemble.heat.distinct.keys"))).isEqualTo(2);
    assertThat(registry.get("ensemble.heat.value.size").tag("quantile", "0.99").gauge().value())
        .isEqualTo(40);
    millis.addAndGet(MINUTE);
    process.publish();
    assertThat(gauge(registry, "ensemble.heat.write.share")).isNaN();
    assertThat(registry.get("ensemble.heat.windows.dropped").functionCounter().count()).isZero();
    assertThat(registry.get("ensemble.heat.operations.missed").functionCounter().count()).isZero();
  }

  private static double gauge(SimpleMeterRegistry registry, String name) {
    return registry.get(name).tag("cache", "stock").gauge().value();
  }

  @Test
  void closingEndsTheWindow() {
    HeatRecorder recorder = new HeatRecorder(HeatSettings.DEFAULT, millis::get);
    recorder.start(() -> entries, true);
    requireNonNull(recorder.cacheOpened("stock", false)).read(CODEC.encode("a"), 1);

    recorder.close();
    recorder.close();

    assertThat(map("stock", 10).reads()).isEqualTo(1);
    assertThatIllegalStateException().isThrownBy(() -> recorder.start(() -> entries, true));
    requireNonNull(recorder.cacheOpened("stock", false)).read(CODEC.encode("a"), 1);
    assertThat(recorder.missedOperations()).isEqualTo(1);
  }

  @Test
  void listedProcessesAreBounded() {
    HeatClients clients = HeatClients.of(null);
    for (int i = 0; i < HeatClients.MOST + 10; i++) {
      clients = clients.with(new HeatClients.Client("c" + i, MINUTE, i * MINUTE), 0);
    }

    assertThat(clients.clients()).hasSize(HeatClients.MOST);
    assertThat(clients.client("c9")).as("the longest silent ones are dropped").isEmpty();
    assertThat(HeatClients.of(clients.toBytes())).isEqualTo(clients);
    assertThat(HeatClients.of("a b\nc 0 1\nd 1 2\n".getBytes(UTF_8)).clients())
        .containsExactly(new HeatClients.Client("d", 1, 2));
  }

  @Test
  void listsOfTheSameProcessesAreMergedToTheLatestAnnouncements() {
    HeatClients one =
        HeatClients.of(null)
            .with(new HeatClients.Client("a", MINUTE, 5), 0)
            .with(new HeatClients.Client("b", MINUTE, 7), 0);
    HeatClients other =
        HeatClients.of(null)
            .with(new HeatClients.Client("c", MINUTE, 6), 0)
            .with(new HeatClients.Client("a", MINUTE, 9), 0);

    assertThat(one.and(other)).isEqualTo(other.and(one));
    assertThat(one.and(other).clients())
        .containsExactly(
            new HeatClients.Client("a", MINUTE, 9),
            new HeatClients.Client("b", MINUTE, 7),
            new HeatClients.Client("c", MINUTE, 6));
  }

  @Test
  void aHeatMapOfManyProcessesIsRead() {
    Process process = process();
    process.read("stock", "a", 3);
    millis.addAndGet(MINUTE);
    process.publish();
    list("stock", 1_000);

    HeatMap map = map("stock", 60);

    assertThat(map.reads()).isEqualTo(3);
    assertThat(map.isComplete()).isTrue();
    assertThat(map.from().toEpochMilli()).isEqualTo(millis.get() - 60 * MINUTE);
  }

  @Test
  void beyondTheBoundsTheLatestPartOfThePeriodIsRead() {
    Process process = process();
    for (int minute = 0; minute < 30; minute++) {
      process.read("stock", "a", 1);
      millis.addAndGet(MINUTE);
      process.publish();
    }
    list("stock", 49);

    HeatMap byWindows = map("stock", 60, new HeatMaps.ReadBounds(600, Long.MAX_VALUE));
    HeatMap byTime = map("stock", 60, new HeatMaps.ReadBounds(Long.MAX_VALUE, 0));

    assertThat(byWindows.isComplete()).isFalse();
    assertThat(byWindows.from().toEpochMilli())
        .isEqualTo(millis.get() - byWindows.reads() * MINUTE);
    assertThat(byWindows.reads()).as("10 to 12 minutes of 50 windows").isBetween(8L, 12L);
    assertThat(byTime.isComplete()).isFalse();
    assertThat(byTime.reads()).isLessThan(byWindows.reads());
  }

  @Test
  void aProcessThatHasEndedCostsNoRequestsForLaterWindows() {
    Process process = process();
    process.read("stock", "a", 1);
    millis.addAndGet(MINUTE);
    process.publish();
    millis.addAndGet(90 * MINUTE);
    int before = entries.requested;

    assertThat(map("stock", 50).reads()).isZero();
    assertThat(entries.requested - before).as("lists only").isEqualTo(HeatClients.SLOTS);
    assertThat(map("stock", 100).reads()).isEqualTo(1);
  }

  @Test
  void windowsOfASecondAreMergedIntoABoundedNumberOfIntervals() {
    Process process = new Process(HeatSettings.DEFAULT.withWindow(Duration.ofSeconds(1)), 0);
    for (int second = 0; second < 1_000; second++) {
      process.read("stock", "a", 2);
      millis.addAndGet(1_000);
      process.publish();
    }

    HeatMap map = map("stock", 60);

    assertThat(map.reads()).isEqualTo(2_000);
    assertThat(map.interval()).isEqualTo(Duration.ofSeconds(30));
    assertThat(map.intervals()).hasSizeBetween(33, 35);
    assertThat(map.intervals().stream().mapToLong(HeatMap.HeatInterval::reads).sum())
        .isEqualTo(2_000);
    for (int minutes : new int[] {1, 4, 60, 24 * 60}) {
      HeatMap other = map("stock", minutes);
      assertThat(Duration.ofMinutes(minutes + 2).dividedBy(other.interval()))
          .as("intervals of %s min", minutes)
          .isLessThanOrEqualTo(HeatMaps.MOST_INTERVALS);
    }
  }

  @Test
  void aWindowLongerThanTheIntervalsCountsIfItContainsTheBeginning() {
    Process minutes = process();
    Process seconds = new Process(HeatSettings.DEFAULT.withWindow(Duration.ofSeconds(1)), 0);
    minutes.read("stock", "a", 5);
    seconds.read("stock", "b", 1);
    millis.addAndGet(MINUTE);
    minutes.publish();
    seconds.publish();
    millis.addAndGet(9 * MINUTE - 5_000);

    HeatMap map = map("stock", 9);

    assertThat(map.interval()).isLessThan(Duration.ofSeconds(50));
    assertThat(map.reads()).isEqualTo(5);
  }

  @Test
  void aCacheThatIsRefusedAsksOnceInAWindow() {
    AtomicInteger asked = new AtomicInteger();
    LongAdder missed = new LongAdder();
    RecordedCache cache =
        new RecordedCache(
            "c",
            false,
            any -> {
              asked.incrementAndGet();
              return false;
            },
            missed,
            new RoundTrips());

    for (int i = 0; i < 100; i++) {
      cache.read(CODEC.encode("k"), 1);
    }
    assertThat(asked).as("later operations take no lock").hasValue(1);
    assertThat(missed.sum()).isEqualTo(100);

    cache.readmit();
    cache.read(CODEC.encode("k"), 1);
    assertThat(asked).hasValue(2);
  }

  @Test
  void theOriginsOfOperationsAreShownWithTheirRoundTrips() {
    Process lyon = process();
    Process alsoLyon = process();
    lyon.read("stock", "a", 3);
    lyon.cache("stock").request("lyon/2", false, 400_000);
    lyon.cache("stock").request("lyon/1", false, 300_000);
    lyon.cache("other").request("oslo", true, 20_000_000);
    lyon.cache("stock").request("oslo", true, CacheOperationRecorder.NO_TIME);
    alsoLyon.cache("stock").write(CODEC.encode("a"), 10);
    alsoLyon.cache("stock").request("lyon/1", false, 500_000);
    millis.addAndGet(MINUTE);
    lyon.publish();
    alsoLyon.publish();

    assertThat(map("stock", 10).origins())
        .as("by the nearest site, because these processes have no local one")
        .containsExactly(
            new HeatMap.OriginLoad("lyon", 2, 3, 1, Map.of("lyon", 0.3, "oslo", 20.0)));

    lyon.read("stock", "a", 1);
    millis.addAndGet(MINUTE);
    lyon.publish();
    assertThat(map("stock", 1).origins())
        .as("a site keeps its last round trip")
        .containsExactly(
            new HeatMap.OriginLoad("lyon", 1, 1, 0, Map.of("lyon", 0.3, "oslo", 20.0)));
  }

  @Test
  void theLocalSiteIsTheOrigin() {
    ProcessPlace place = new ProcessPlace("bern", Map.of("lyon", 1_000));

    assertThat(place.origin()).isEqualTo("bern");
    assertThat(ProcessPlace.UNKNOWN.origin()).isEmpty();
    HeatSketch sketch = new HeatSketch(false);
    sketch.at(place);
    assertThat(HeatSketch.of(sketch.toBytes()).place()).isEqualTo(place);
  }

  @Test
  void periodsAndSettingsAreBounded() {
    assertThatIllegalArgumentException().isThrownBy(() -> map("stock", 0));
    assertThatIllegalArgumentException().isThrownBy(() -> map("stock", 24 * 60 + 1));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> HeatSettings.DEFAULT.withWindow(Duration.ofMillis(999)));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> HeatSettings.DEFAULT.withRetention(Duration.ofSeconds(59)));
    assertThatIllegalArgumentException().isThrownBy(() -> HeatSettings.DEFAULT.withCaches(0));
  }
}
