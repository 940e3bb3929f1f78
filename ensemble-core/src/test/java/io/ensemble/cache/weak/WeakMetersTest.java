package io.ensemble.cache.weak;

import static io.ensemble.cache.weak.WeakCacheFixture.key;
import static io.ensemble.cache.weak.WeakCacheFixture.payload;
import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.StoreHandle;
import io.ensemble.register.Update.Decision;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.SiteStore;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.WriterId;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The metrics of a WEAK cache before, during and after a fault. */
class WeakMetersTest {

  private static final List<String> SITES = List.of("s0", "s1", "s2");

  private final WeakCacheFixture fixture = new WeakCacheFixture(3);
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final List<Handle> handles =
      fixture.sites.stream()
          .map(site -> new Handle(new FakeStore(site, fixture.scheduler)))
          .toList();
  private final CacheMetrics metrics = CacheMetrics.of(registry, "stock", Mode.WEAK);
  private final OpenWeakCache cache = open(metrics);

  private OpenWeakCache open(CacheMetrics shown) {
    return OpenWeakCache.open(
        new EngineContext(
            CacheDefinition.of("stock", Mode.WEAK).sites(SITES.toArray(String[]::new)).build(),
            new ArrayList<StoreHandle>(handles),
            Optional.empty(),
            fixture.scheduler,
            new HybridClock(fixture.scheduler::epochMicros),
            new WriterId(3, 4),
            shown));
  }

  private static final class Handle implements StoreHandle {

    private final FakeStore way;
    private Optional<SiteStore> store;

    Handle(FakeStore way) {
      this.way = way;
      store = Optional.of(way);
    }

    @Override
    public String site() {
      return way.site();
    }

    @Override
    public Optional<SiteStore> current() {
      return store;
    }

    @Override
    public CompletionStage<SiteStore> store(Deadline deadline) {
      return CompletableFuture.completedFuture(way);
    }
  }

  private void write(String key) {
    fixture.scheduler.get(cache.write(key(key), payload("v"), fixture.deadline()));
  }

  private double gauge(String name, String site) {
    return registry.get(name).tags("cache", "stock", "mode", "WEAK", "site", site).gauge().value();
  }

  private double count(String name, String site) {
    return registry.get(name).tags("cache", "stock", "site", site).counter().count();
  }

  @Test
  void aSiteThatIsDownShowsWhatItLacksUntilItIsComparedAgain() {
    write("a");
    fixture.scheduler.run(Duration.ofSeconds(1));
    assertThat(gauge("ensemble.lag.entries", "s2")).isZero();
    assertThat(gauge("ensemble.site.down", "s2")).isZero();
    assertThat(gauge("ensemble.comparison.age", "s2")).isNaN();
    fixture.sites.get(2).mode = FakeSiteMemory.Mode.GONE;

    IntStream.range(0, 10).forEach(i -> write("k" + i));
    fixture.scheduler.run(Duration.ofSeconds(1));

    assertThat(gauge("ensemble.site.down", "s2")).isEqualTo(1);
    assertThat(gauge("ensemble.site.down", "s1")).isZero();
    assertThat(gauge("ensemble.lag.entries", "s2")).as("not zero").isEqualTo(10);
    assertThat(gauge("ensemble.writes.missed", "s2")).isEqualTo(10);
    assertThat(gauge("ensemble.copies.pending", "s2")).isZero();
    assertThat(gauge("ensemble.lag.entries", "s1")).isZero();
    assertThat(count("ensemble.copies.dropped", "s2")).isEqualTo(10);

    fixture.sites.get(2).mode = FakeSiteMemory.Mode.UP;
    fixture.scheduler.run(Duration.ofMinutes(2));

    assertThat(fixture.values("k7")).containsExactly("v", "v", "v");
    assertThat(gauge("ensemble.site.down", "s2")).isZero();
    assertThat(gauge("ensemble.lag.entries", "s2")).isZero();
    assertThat(gauge("ensemble.comparison.age", "s2")).isBetween(0.0, 120.0);
    double age = gauge("ensemble.comparison.age", "s2");
    fixture.scheduler.run(Duration.ofSeconds(7));
    assertThat(gauge("ensemble.comparison.age", "s2")).isEqualTo(age + 7);
    assertThat(registry.get("ensemble.comparison").tag("outcome", "complete").timer().count())
        .isPositive();
    assertThat(registry.get("ensemble.comparison.copied").counter().count()).isEqualTo(10);
  }

  @Test
  void whatWaitsForASlowSiteIsLag() {
    handles.get(1).way.delay = Duration.ofSeconds(3);

    IntStream.range(0, 100).forEach(i -> write("k" + i));

    assertThat(gauge("ensemble.copies.pending", "s1")).isEqualTo(100);
    assertThat(gauge("ensemble.lag.entries", "s1")).isEqualTo(100);
    assertThat(gauge("ensemble.writes.missed", "s1")).isZero();
  }

  @Test
  void aSiteThatLostItsMemoryLacksNobodyKnowsHowMuch() {
    write("a");
    fixture.scheduler.run(Duration.ofSeconds(1));
    fixture.sites.get(2).entries.clear();
    handles.get(2).store = Optional.of(new FakeStore(fixture.sites.get(2), fixture.scheduler));

    write("b");
    assertThat(gauge("ensemble.lag.entries", "s2")).isNaN();

    fixture.scheduler.run(Duration.ofMinutes(1));
    assertThat(gauge("ensemble.lag.entries", "s2")).isZero();
  }

  @Test
  void roundTripsOfEachOperationAndPutBacksAreCounted() {
    everyOperation();

    assertThat(rounds("read")).containsExactly(2, 3);
    assertThat(rounds("write")).as("the second put something back").containsExactly(2, 3);
    assertThat(rounds("update")).containsExactly(1, 2);
    assertThat(count("ensemble.put.backs", "s0")).isEqualTo(1);
  }

  private void everyOperation() {
    write("a");
    fixture.scheduler.get(cache.read(key("a"), fixture.deadline()));
    fixture.scheduler.get(
        cache.<Void>update(
            key("a"), current -> Decision.write(payload("w"), null), fixture.deadline()));
    fixture.put(0, "late", fixture.scheduler.epochMicros() + 30_000_000, 9, "newer");
    write("late");
    handles.get(0).way.next.add(FakeSiteMemory.Mode.GONE);
    fixture.scheduler.get(cache.read(key("a"), fixture.deadline()));
  }

  /** The number of operations, and the total of their round trips. */
  private List<Integer> rounds(String operation) {
    var summary =
        registry.get("ensemble.round.trips").tags("operation", operation, "mode", "WEAK").summary();
    return List.of((int) summary.count(), (int) summary.totalAmount());
  }

  @Test
  void gaugesOutliveTheCloseOfTheCacheThatWasOpenBefore() {
    CacheMetrics later = CacheMetrics.of(registry, "stock", Mode.WEAK);
    OpenWeakCache reopened = open(later);
    cache.close();
    metrics.close();
    handles.get(1).way.delay = Duration.ofSeconds(3);

    fixture.scheduler.get(reopened.write(key("k"), payload("v"), fixture.deadline()));

    assertThat(gauge("ensemble.lag.entries", "s1")).as("the later one's").isEqualTo(1);
    later.close();
    assertThat(registry.find("ensemble.lag.entries").gauges()).isEmpty();
  }

  @Test
  void everyMeterIsInTheTableAndInTheJavadoc() throws IOException {
    metrics.operation("get", CacheMetrics.OperationOutcome.UNKNOWN, 1);
    metrics.siteRequest("s0", "read", "ok", 1);
    aSiteThatIsDownShowsWhatItLacksUntilItIsComparedAgain();
    everyOperation();
    Path root = Path.of("").toAbsolutePath().getParent();
    String table = Files.readString(root.resolve("docs/metrics.md"));
    String source =
        Files.readString(
            root.resolve("ensemble-core/src/main/java/io/ensemble/cache/CacheMetrics.java"));
    String javadoc = source.substring(0, source.indexOf("public final class"));

    List<String> names =
        registry.getMeters().stream().map(Meter::getId).map(Meter.Id::getName).distinct().toList();

    assertThat(names).hasSize(13);
    assertThat(names)
        .allSatisfy(name -> assertThat(table).contains("| `" + name + "` |"))
        .allSatisfy(name -> assertThat(javadoc).contains("{@code " + name + "}"));
  }
}
