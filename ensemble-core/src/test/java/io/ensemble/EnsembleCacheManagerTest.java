package io.ensemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.ensemble.cache.EngineContext;
import io.ensemble.cache.adapter.InMemoryEngine;
import io.ensemble.catalog.StubSite;
import io.ensemble.catalog.definition.CacheExistsException;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.StoreKind;
import io.ensemble.stamp.HybridClock;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EnsembleCacheManagerTest {

  private final ThreadScheduler scheduler = new ThreadScheduler(2);
  private final RacingDefinitions definitions = new RacingDefinitions();
  private final List<StubSite> sites =
      List.of(new StubSite("a"), new StubSite("b"), new StubSite("c"));
  private final List<EngineContext> opened = new ArrayList<>();
  private final List<InMemoryEngine> engines = new ArrayList<>();
  private final EnsembleCacheManager manager = manager();

  private static final CacheDefinition STRONG =
      CacheDefinition.of("s", Mode.MWMR).sites("a", "b", "c").build();
  private static final String BIRTH = "0000000000ca0000000000b1";
  private static final CacheDefinition WEAK =
      CacheDefinition.of("w", Mode.WEAK).sites("b", "c").build();

  private EnsembleCacheManager manager() {
    EnsembleCacheManagerBuilder builder =
        EnsembleCacheManager.builder()
            .scheduler(scheduler)
            .definitions(definitions)
            .localSite("b")
            .engine(Mode.MWMR, this::engine)
            .engine(Mode.WEAK, this::engine);
    sites.forEach(builder::site);
    return builder.build();
  }

  private InMemoryEngine engine(EngineContext cache) {
    opened.add(cache);
    engines.add(new InMemoryEngine(scheduler, scheduler::epochMicros));
    return engines.get(engines.size() - 1);
  }

  @AfterEach
  void stop() {
    manager.stop();
    scheduler.close();
  }

  private StubSite site(String name) {
    return sites.stream().filter(site -> site.name().equals(name)).findFirst().orElseThrow();
  }

  @Test
  void aCacheIsCreatedAtItsSitesAndOpened() {
    EnsembleCache<String, Integer> cache = manager.createCache(STRONG);
    cache.put("k", 1);

    StoredDefinition stored = manager.stored("s").orElseThrow();
    for (StubSite site : sites) {
      assertThat(site.stores)
          .containsExactly(Map.entry(stored.store(site.name()).orElseThrow(), StoreKind.REPLICA));
    }
    assertThat(site("a").stores.firstKey()).matches("s\\.1\\.[0-9a-f]{24}\\.[0-9a-f]{8}");
    assertThat(manager.<String, Integer>getCache("s").get("k")).isEqualTo(1);
    assertThat(opened).hasSize(1);
    assertThat(opened.get(0).localSite()).contains("b");
    assertThat(manager.getCacheNames()).containsExactly("s");
  }

  @Test
  void aWeakCacheHasPlainStoresAtItsOwnSitesOnly() {
    manager.createCache(WEAK);

    assertThat(site("a").stores).isEmpty();
    assertThat(site("b").stores).containsValue(StoreKind.PLAIN);
  }

  @Test
  void creatingAgainOpensOrNamesTheDifference() {
    manager.createCache(STRONG);
    manager.createCache(STRONG);
    CacheDefinition other =
        CacheDefinition.of("s", Mode.MWMR).sites("a", "b", "c").maxValueBytes(5).build();

    assertThatExceptionOfType(CacheExistsException.class)
        .isThrownBy(() -> manager.createCache(other))
        .withMessageContaining("maxValueBytes: 1048576, 5");
    assertThat(manager.getOrCreateCache(other).definition()).isEqualTo(STRONG);
    assertThat(site("a").stores).hasSize(1);
    assertThat(opened).hasSize(1);
  }

  @Test
  void aMinorityMayBeMissingAndHasNoIncarnation() {
    site("c").fails = Reason.UNREACHABLE;

    manager.createCache(STRONG);

    assertThat(manager.stored("s").orElseThrow().incarnations()).containsOnlyKeys("a", "b");
  }

  @Test
  void withoutAMajorityNothingIsLeft() {
    site("b").createsButSaysItFailed = true;
    site("c").fails = Reason.UNREACHABLE;

    assertThatExceptionOfType(QuorumUnavailableException.class)
        .isThrownBy(() -> manager.createCache(STRONG))
        .withMessageContainingAll("needs 2 of 3", "answered=[a]", "b=", "c=");

    assertThat(sites).allSatisfy(site -> assertThat(site.stores).isEmpty());
    assertThat(manager.getCache("s") == null).isTrue();
    site("c").fails = null;
    assertThat(manager.createCache(WEAK).getName()).as("one is enough").isEqualTo("w");
  }

  @Test
  void anUnsuitableSiteOrOneThatDoesNotLetUsInRefusesTheWhole() {
    for (Reason reason : List.of(Reason.UNSUITABLE, Reason.NOT_ALLOWED)) {
      site("c").fails = reason;

      assertThatExceptionOfType(SiteException.class)
          .isThrownBy(() -> manager.createCache(STRONG))
          .satisfies(e -> assertThat(e.reason()).isEqualTo(reason))
          .satisfies(e -> assertThat(e.site()).isEqualTo("c"));
      assertThat(sites).allSatisfy(site -> assertThat(site.stores).isEmpty());
      assertThat(manager.getCacheNames()).isEmpty();
    }
  }

  @Test
  void whoLosesTheRaceRemovesItsStoresAndOpensTheWinners() {
    StoredDefinition winner = StoredDefinition.first(STRONG, BIRTH, Map.of("a", "00000001"));
    definitions.raced = winner;

    manager.createCache(STRONG);

    assertThat(manager.stored("s")).contains(winner);
    assertThat(sites).allSatisfy(site -> assertThat(site.stores).isEmpty());
    assertThat(opened).hasSize(1);
  }

  @Test
  void whoLosesTheRaceToOtherSettingsLeavesNothing() {
    CacheDefinition other = CacheDefinition.of("s", Mode.WEAK).sites("a").build();
    definitions.raced = StoredDefinition.first(other, BIRTH, Map.of());

    assertThatExceptionOfType(CacheExistsException.class)
        .isThrownBy(() -> manager.createCache(STRONG));

    assertThat(sites).allSatisfy(site -> assertThat(site.stores).isEmpty());
  }

  @Test
  void aCatalogThatFailedAfterItHadStoredIsAskedAgain() {
    definitions.failAfterCreate = true;

    manager.createCache(STRONG);

    assertThat(site("a").stores)
        .containsOnlyKeys(manager.stored("s").orElseThrow().store("a").orElseThrow());
  }

  @Test
  void aCatalogThatFailedBeforeLeavesNothing() {
    definitions.failBeforeCreate = true;

    assertThatExceptionOfType(CatalogException.class).isThrownBy(() -> manager.createCache(STRONG));

    assertThat(sites).allSatisfy(site -> assertThat(site.stores).isEmpty());
  }

  @Test
  void badInputIsRefusedAtOnce() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> manager.createCache(CacheDefinition.of("x", Mode.WEAK).sites("zz").build()))
        .withMessageContainingAll("unknown site", "[a, b, c]", "'zz'");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EnsembleCacheManager.builder().build())
        .withMessageContaining("at least one site");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                EnsembleCacheManager.builder()
                    .site(new StubSite("a"))
                    .site(new StubSite("a"))
                    .build())
        .withMessageContaining("must be unique");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> EnsembleCacheManager.builder().site(new StubSite("a")).localSite("b").build())
        .withMessageContainingAll("[a]", "'b'");
    assertThatIllegalStateException()
        .isThrownBy(manager::getCache)
        .withMessageContaining("'default'");
    assertThat(sites).allSatisfy(site -> assertThat(site.stores).isEmpty());
  }

  @Test
  void aCacheAtSitesThatThisManagerDoesNotKnowIsNotOpened() {
    definitions.create(
        StoredDefinition.first(
            CacheDefinition.of("far", Mode.WEAK).sites("mars").build(), BIRTH, Map.of()));

    assertThatIllegalStateException()
        .isThrownBy(() -> manager.getCache("far"))
        .withMessageContainingAll("far", "mars", "[a, b, c]");
  }

  @Test
  void theDefaultCacheIsTheOneOfThatName() {
    manager.createCache(CacheDefinition.of("default", Mode.WEAK).sites("a").build());

    assertThat(manager.getCache().getName()).isEqualTo("default");
  }

  @Test
  void aStoppedCacheIsOpenedAgain() {
    EnsembleCache<String, Integer> before = manager.createCache(STRONG);
    before.stop();
    manager.stopCache("s");

    assertThatIllegalStateException().isThrownBy(() -> before.get("k"));
    assertThat(engines.get(0).closed).isTrue();
    assertThat(manager.<String, Integer>getCache("s").get("k")).isNull();
    assertThat(site("a").stores).hasSize(1);
    assertThat(opened).hasSize(2);
    assertThat(opened.get(0).writer()).isNotEqualTo(opened.get(1).writer());
  }

  @Test
  void aDeletedCacheIsGoneForEveryone() {
    manager.createCache(STRONG);
    site("c").fails = Reason.UNREACHABLE;

    assertThat(manager.deleteCache("s")).isTrue();

    assertThat(manager.deleteCache("s")).isFalse();
    assertThat(manager.getCache("s") == null).isTrue();
    assertThat(site("a").stores).isEmpty();
    assertThat(engines.get(0).closed).isTrue();
  }

  @Test
  void aSiteThatLostItsStoreIsRecoveredUnderANewIncarnation() {
    manager.createCache(STRONG);
    StoredDefinition before = manager.stored("s").orElseThrow();
    site("a").stores.clear();

    assertThat(manager.recoverSite("s", "a")).isZero();

    StoredDefinition after = manager.stored("s").orElseThrow();
    assertThat(after.revision()).isEqualTo(2);
    assertThat(after.store("a")).isNotEqualTo(before.store("a"));
    assertThat(after.store("b")).isEqualTo(before.store("b"));
    assertThat(site("a").stores).containsOnlyKeys(after.store("a").orElseThrow());
  }

  @Test
  void aSiteThatNeverHadAStoreIsRecoveredToo() {
    site("c").fails = Reason.UNREACHABLE;
    manager.createCache(STRONG);
    assertThatExceptionOfType(SiteException.class)
        .isThrownBy(() -> manager.recoverSite("s", "c", Duration.ofMillis(100)));
    site("c").fails = null;

    manager.recoverSite("s", "c");

    assertThat(manager.stored("s").orElseThrow().store("c")).isPresent();
  }

  @Test
  void aSiteThatHasItsStoreIsNotRecovered() {
    manager.createCache(STRONG);
    Map<String, StoreKind> before = Map.copyOf(site("a").stores);

    assertThatExceptionOfType(StoreIntactException.class)
        .isThrownBy(() -> manager.recoverSite("s", "a"))
        .withMessageContaining("recovery is not needed")
        .matches(intact -> intact.cache().equals("s") && intact.site().equals("a"));
    assertThatIllegalArgumentException().isThrownBy(() -> manager.recoverSite("s", "zz"));
    assertThatExceptionOfType(NoSuchElementException.class)
        .isThrownBy(() -> manager.recoverSite("none", "a"));
    assertThat(site("a").stores).isEqualTo(before);
  }

  @Test
  void aFailedRefillLeavesTheSiteDownAndNothingBehind() {
    manager.createCache(STRONG);
    StoredDefinition before = manager.stored("s").orElseThrow();
    site("a").stores.clear();
    engines
        .get(0)
        .nextFailures
        .add(
            new QuorumUnavailableException(
                "s", new QuorumFailure(2, 3, java.util.Set.of(), Map.of())));

    assertThatExceptionOfType(QuorumUnavailableException.class)
        .isThrownBy(() -> manager.recoverSite("s", "a"));

    assertThat(site("a").stores).isEmpty();
    assertThat(manager.stored("s")).contains(before);
    manager.recoverSite("s", "a");
  }

  @Test
  void stoppingTwiceIsStoppingOnce() {
    EnsembleCache<String, Integer> cache = manager.createCache(STRONG);
    manager.start();
    manager.stop();
    manager.stop();

    assertThatIllegalStateException().isThrownBy(() -> cache.get("k"));
    assertThatIllegalStateException()
        .isThrownBy(() -> manager.getCache("s"))
        .withMessageContaining("stopped");
    assertThatIllegalStateException().isThrownBy(manager::start);
    assertThat(sites).noneMatch(site -> site.closed);
  }

  @Test
  void aStampTooFarAheadIsNotAdoptedButCounted() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    EnsembleCacheManagerBuilder builder =
        EnsembleCacheManager.builder()
            .scheduler(scheduler)
            .definitions(definitions)
            .clock(() -> 1_000_000)
            .maxClockSkew(Duration.ofSeconds(2))
            .metrics(registry)
            .engine(Mode.WEAK, this::engine);
    sites.forEach(builder::site);
    EnsembleCacheManager skewed = builder.build();
    skewed.createCache(WEAK);
    HybridClock clock = opened.get(opened.size() - 1).clock();

    assertThat(clock.observe(3_000_000)).isTrue();
    assertThat(clock.observe(3_000_001)).isFalse();

    assertThat(registry.get("ensemble.clock.rejections").counter().count()).isEqualTo(1);
    skewed.stop();
  }

  @Test
  void aMaximumClockSkewIsWithinADay() {
    EnsembleCacheManagerBuilder builder = EnsembleCacheManager.builder();

    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder.maxClockSkew(Duration.ZERO))
        .withMessageContaining("(0 s, 1 d]");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder.maxClockSkew(Duration.ofDays(2)))
        .withMessageContaining("PT48H");
  }
}
