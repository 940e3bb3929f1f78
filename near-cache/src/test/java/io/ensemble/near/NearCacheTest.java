package io.ensemble.near;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import io.ensemble.Mode;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.MapSite;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Near caches of caches in memory, in two processes. */
@Timeout(60)
class NearCacheTest {

  private static final Duration HOUR = Duration.ofHours(1);
  private static final NearCacheSettings LAZY =
      NearCacheSettings.lazy(100, 1 << 20, HOUR).staleReads();

  private final ThreadScheduler scheduler = new ThreadScheduler(2);
  private final List<MapSite> sites =
      List.of(
          new MapSite("a", scheduler), new MapSite("b", scheduler), new MapSite("c", scheduler));
  private final InMemoryDefinitions definitions = new InMemoryDefinitions();
  private final List<EnsembleCacheManager> managers = new ArrayList<>();
  private final EnsembleCacheManager here = manager();
  private final EnsembleCacheManager elsewhere = manager();

  private EnsembleCacheManager manager() {
    EnsembleCacheManagerBuilder builder =
        EnsembleCacheManager.builder().scheduler(scheduler).definitions(definitions);
    sites.forEach(builder::site);
    managers.add(builder.build());
    return managers.get(managers.size() - 1);
  }

  @AfterEach
  void stop() {
    managers.forEach(EnsembleCacheManager::stop);
    scheduler.close();
  }

  private EnsembleCache<String, Integer> created(Mode mode) {
    return here.createCache(
        CacheDefinition.of("c", mode).sites("a", "b", "c").deadline(Duration.ofSeconds(5)).build());
  }

  private static void await(BooleanSupplier condition) {
    long end = System.nanoTime() + Duration.ofSeconds(40).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - end).as("nanoseconds after the end").isNegative();
      Thread.yield();
    }
  }

  private static <V> NearCache<String, V> reporting(
      EnsembleCache<String, V> cache, NearCacheSettings settings) {
    NearCache<String, V> near = NearCache.open(cache, settings);
    await(() -> near.reportingReplicas() == 3);
    return near;
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void aSecondReadSendsNoRequestAndAChangeElsewhereIsSeen(Mode mode) {
    EnsembleCache<String, Integer> cache = created(mode);
    EnsembleCache<String, Integer> writer =
        mode == Mode.SWMR ? cache : elsewhere.<String, Integer>getCache("c");
    try (NearCache<String, Integer> near = reporting(cache, LAZY)) {
      writer.put("k", 1);
      await(() -> Integer.valueOf(1).equals(near.cache().get("k")));
      near.cache().get("k");
      long misses = near.statistics().misses();
      assertThat(near.cache().get("k")).isEqualTo(1);
      assertThat(near.cache().containsKey("k")).isTrue();
      assertThat(near.cache().async().get("k").toCompletableFuture().join()).contains(1);
      assertThat(near.cache().getAll(Set.of("k"))).isEqualTo(Map.of("k", 1));
      assertThat(near.statistics().misses()).isEqualTo(misses);
      assertThat(near.statistics().hits()).isGreaterThanOrEqualTo(4);

      writer.put("k", 2);
      await(() -> Integer.valueOf(2).equals(near.cache().get("k")));
      writer.remove("k");
      await(() -> near.cache().get("k") == null);
    }
  }

  @Test
  void reportsComeBackWithTheSite() {
    EnsembleCache<String, Integer> cache = created(Mode.MWMR);
    EnsembleCache<String, Integer> writer = elsewhere.getCache("c");
    sites.get(1).setDown(true);
    try (NearCache<String, Integer> near = NearCache.open(cache, LAZY)) {
      await(() -> near.reportingReplicas() == 2);
      sites.get(1).setDown(false);
      await(() -> near.reportingReplicas() == 3);
      for (MapSite site : sites) {
        int before = near.reportingReplicas();
        site.setDown(true);
        await(() -> near.reportingReplicas() < before);
        site.setDown(false);
        await(() -> near.reportingReplicas() == 3);
      }
      writer.put("k", 1);
      await(() -> Integer.valueOf(1).equals(near.cache().get("k")));
      writer.put("k", 2);
      await(() -> Integer.valueOf(2).equals(near.cache().get("k")));
    }
  }

  /** Without reports, which would drop the keys as well. */
  @Test
  void aClearedCacheIsReadAsEmpty() {
    EnsembleCache<String, Integer> cache =
        here.createSharded(CacheDefinition.of("c", Mode.MWMR).sites("a", "b", "c").build(), 2);
    try (NearCache<String, Integer> near = NearCache.open(cache, LAZY)) {
      near.cache().put("k", 1);
      assertThat(near.cache().get("k")).isEqualTo(1);
      near.cache().clear();
      assertThat(near.cache().get("k")).isNull();
      assertThat(near.reportingReplicas()).isZero();
    }
  }

  @Test
  void aNearCacheOfTheViewOfAnotherReadsTheSites() {
    EnsembleCache<String, Integer> cache = created(Mode.MWMR);
    try (NearCache<String, Integer> first = NearCache.open(cache, LAZY);
        NearCache<String, Integer> second = NearCache.open(first.cache(), LAZY)) {
      cache.put("k", 1);
      first.cache().get("k");
      first.cache().get("k");
      long hits = first.statistics().hits();
      second.cache().get("k");
      assertThat(first.statistics().hits()).isEqualTo(hits);
      assertThat(second.statistics().misses()).isOne();
    }
  }

  @Test
  void aCacheWithSiblingsIsRefused() {
    EnsembleCache<String, Integer> cache =
        here.createCache(
            CacheDefinition.of("c", Mode.WEAK).sites("a", "b", "c").siblings(4).build());
    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(() -> NearCache.open(cache, LAZY));
  }

  @Test
  void anEagerOneReadsWhatChangesElsewhere() {
    EnsembleCache<String, Integer> cache = created(Mode.MWMR);
    EnsembleCache<String, Integer> writer = elsewhere.getCache("c");
    NearCacheSettings eager = NearCacheSettings.eager(100, 1 << 20, HOUR).staleReads();
    try (NearCache<String, Integer> near = reporting(cache, eager)) {
      writer.put("never-read", 1);
      await(() -> near.statistics().entries() == 1);
      assertThat(near.statistics().misses()).isZero();
      assertThat(near.statistics().backgroundReads()).isPositive();
      await(() -> Integer.valueOf(1).equals(near.cache().get("never-read")));
    }
  }

  @Test
  void anEagerOneRenewsWhatIsReadAfterHalfOfTheTime() {
    EnsembleCache<String, Integer> cache = created(Mode.MWMR);
    cache.put("k", 1);
    NearCacheSettings eager =
        NearCacheSettings.eager(100, 1 << 20, Duration.ofMillis(400)).staleReads();
    try (NearCache<String, Integer> near = NearCache.open(cache, eager)) {
      near.cache().get("k");
      await(
          () -> {
            near.cache().get("k");
            return near.statistics().backgroundReads() >= 2;
          });
    }
  }

  @Test
  void aCallerReadsItsOwnWritesOfEachKind() {
    EnsembleCache<String, Integer> cache = created(Mode.MWMR);
    try (NearCache<String, Integer> near = reporting(cache, LAZY)) {
      EnsembleCache<String, Integer> view = near.cache();
      for (int i = 1; i < 40; i++) {
        view.put("k", i);
        assertThat(view.get("k")).isEqualTo(i);
        view.withReturnValues().put("k", -i);
        assertThat(view.get("k")).isEqualTo(-i);
        view.compute("k", (key, value) -> value * 2);
        assertThat(view.get("k")).isEqualTo(-2 * i);
        view.putAll(Map.of("k", 7));
        assertThat(view.get("k")).isEqualTo(7);
        view.replace("k", 7, 8);
        assertThat(view.get("k")).isEqualTo(8);
        view.remove("k");
        assertThat(view.get("k")).isNull();
        view.putIfAbsent("k", i);
        assertThat(view.get("k")).isEqualTo(i);
        view.clear();
        assertThat(view.get("k")).isNull();
      }
      view.put("k", 1);
      view.entrySet().iterator().next().setValue(2);
      assertThat(view.get("k")).isEqualTo(2);
    }
  }

  @Test
  void aValueThatExpiresIsNotReturned() {
    EnsembleCache<String, Integer> cache = created(Mode.MWMR);
    try (NearCache<String, Integer> near = NearCache.open(cache, LAZY)) {
      near.cache().put("k", 1, 300, TimeUnit.MILLISECONDS);
      await(() -> near.cache().get("k") == null);
    }
  }

  @Test
  void withoutSitesWhatIsHeldIsReturnedAndTheRestFails() {
    EnsembleCache<String, Integer> cache = created(Mode.MWMR).withDeadline(Duration.ofMillis(300));
    cache.put("k", 1);
    try (NearCache<String, Integer> near = reporting(cache, LAZY)) {
      near.cache().get("k");
      near.cache().get("k");
      sites.forEach(site -> site.setDown(true));
      assertThatExceptionOfType(QuorumUnavailableException.class)
          .isThrownBy(() -> near.cache().get("other"));
      assertThat(near.cache().get("k")).isEqualTo(1);
    }
  }

  @Test
  void onlyTheseKeysAreHeld() {
    EnsembleCache<String, Integer> cache = created(Mode.MWMR);
    try (NearCache<String, Integer> prefix = NearCache.open(cache, LAZY.ofPrefix("user/"));
        NearCache<String, Integer> keys = NearCache.open(cache, LAZY.ofKeys(Set.of("a", "b")))) {
      for (String key : List.of("user/1", "a", "c")) {
        prefix.cache().get(key);
        keys.cache().get(key);
      }
      assertThat(prefix.statistics().entries()).isEqualTo(1);
      assertThat(keys.statistics().entries()).isEqualTo(1);
      assertThat(keys.statistics().misses()).isEqualTo(1);
    }
    assertThatIllegalArgumentException().isThrownBy(() -> LAZY.ofKeys(Set.of()));
  }

  @ParameterizedTest
  @EnumSource(names = {"SWMR", "MWMR"})
  void aLinearizableCacheRequiresThatStaleReadsAreAllowed(Mode mode) {
    EnsembleCache<String, Integer> cache = created(mode);
    NearCacheSettings settings = NearCacheSettings.lazy(10, 1_000, HOUR);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> NearCache.open(cache, settings))
        .withMessageContaining("staleReads()")
        .withMessageContaining("cache=c mode=" + mode);
  }

  @Test
  void aCacheThatBecomesLinearizableIsReadAtItsSites() {
    EnsembleCache<String, Integer> cache = created(Mode.WEAK);
    try (NearCache<String, Integer> near =
        NearCache.open(cache, NearCacheSettings.lazy(10, 10_000, HOUR))) {
      cache.put("k", 1);
      near.cache().get("k");
      near.cache().get("k");
      assertThat(near.statistics().hits()).isPositive();
      here.alter(CacheDefinition.of("c", Mode.MWMR).sites("a", "b", "c").build())
          .done()
          .toCompletableFuture()
          .join();
      await(() -> cache.definition().mode() == Mode.MWMR);
      long hits = near.statistics().hits();
      assertThat(near.cache().get("k")).isEqualTo(1);
      assertThat(near.cache().get("k")).isEqualTo(1);
      assertThat(near.statistics().hits()).isEqualTo(hits);
    }
  }

  @Test
  void aClosedOneHoldsNothingAndItsViewGoesOn() {
    EnsembleCache<String, Integer> cache = created(Mode.MWMR);
    NearCache<String, Integer> near = reporting(cache, LAZY);
    near.cache().put("k", 1);
    near.close();
    near.close();
    assertThat(near.cache().get("k")).isEqualTo(1);
    assertThat(near.statistics().entries()).isZero();
    assertThat(near.reportingReplicas()).isZero();
    cache.stop();
    assertThatIllegalStateException().isThrownBy(() -> near.cache().get("k"));
  }

  @Test
  void itHasMeters() {
    EnsembleCache<String, Integer> cache = created(Mode.MWMR);
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    try (NearCache<String, Integer> near = NearCache.open(cache, LAZY)) {
      near.bindTo(registry);
      near.cache().put("k", 1);
      near.cache().get("k");
      near.cache().get("k");
      assertThat(registry.get("ensemble.near.hits").tag("cache", "c").functionCounter().count())
          .isPositive();
      assertThat(registry.get("ensemble.near.bytes").gauge().value()).isPositive();
    }
    registry.close();
  }

  @Test
  void theDocumentShowsThisExample() throws IOException {
    EnsembleCache<String, Long> stock =
        here.createCache(CacheDefinition.of("stock", Mode.MWMR).sites("a", "b", "c").build());
    // example:begin
    NearCacheSettings settings =
        NearCacheSettings.lazy(10_000, 64L << 20, Duration.ofSeconds(5)).staleReads();
    try (NearCache<String, Long> near = NearCache.open(stock, settings)) {
      EnsembleCache<String, Long> cache = near.cache();
      cache.get("bolt"); // asks the sites
      cache.get("bolt"); // sends nothing
      cache.put("bolt", 7L);
      cache.get("bolt"); // 7, and sends nothing
      System.out.println(near.statistics().hitRatio());
    }
    // example:end
    List<String> lines =
        Files.readAllLines(Path.of("src/test/java/io/ensemble/near/NearCacheTest.java"));
    List<String> example =
        lines.subList(
            lines.indexOf("    // example:begin") + 1, lines.indexOf("    // example:end"));
    assertThat(Files.readString(Path.of("../docs/near-caches.md")))
        .contains("```java\n" + String.join("\n", example).stripIndent() + "\n```");
  }

  @Test
  void settingsAreChecked() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> NearCacheSettings.lazy(0, 1, HOUR))
        .withMessage("maxEntries of a near cache must be at least 1; got 0");
    assertThatIllegalArgumentException().isThrownBy(() -> NearCacheSettings.lazy(1, 0, HOUR));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> NearCacheSettings.lazy(1, 1, Duration.ZERO));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> NearCacheSettings.eager(1, 1, Duration.ofDays(2)));
  }
}
