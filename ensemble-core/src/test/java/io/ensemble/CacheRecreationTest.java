package io.ensemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.ensemble.cache.EngineContext;
import io.ensemble.cache.StoreHandle;
import io.ensemble.cache.adapter.InMemoryEngine;
import io.ensemble.catalog.DefinitionWatch;
import io.ensemble.catalog.StubSite;
import io.ensemble.catalog.definition.Definitions;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Successive caches of one name: their stores, and operations that end half-way. */
class CacheRecreationTest {

  private static final CacheDefinition STRONG =
      CacheDefinition.of("s", Mode.MWMR).sites("a", "b", "c").build();
  private static final String OTHER_BIRTH = "0000000000ca0000000000b1";
  private static final Duration LONG = Duration.ofSeconds(20);

  private final ThreadScheduler scheduler = new ThreadScheduler(2);
  private final RacingDefinitions definitions = new RacingDefinitions();
  private final List<StubSite> sites =
      List.of(new StubSite("a"), new StubSite("b"), new StubSite("c"));
  private final List<EngineContext> opened = new CopyOnWriteArrayList<>();
  private final List<InMemoryEngine> engines = new CopyOnWriteArrayList<>();
  private final List<EnsembleCacheManager> managers = new ArrayList<>();
  private final EnsembleCacheManager manager = manager();

  private EnsembleCacheManager manager() {
    return manager(definitions);
  }

  private EnsembleCacheManager manager(Definitions catalog) {
    EnsembleCacheManagerBuilder builder =
        EnsembleCacheManager.builder()
            .scheduler(scheduler)
            .definitions(catalog)
            .engine(
                Mode.MWMR,
                cache -> {
                  opened.add(cache);
                  engines.add(new InMemoryEngine(scheduler, scheduler::epochMicros));
                  return engines.get(engines.size() - 1);
                });
    sites.forEach(builder::site);
    EnsembleCacheManager built = builder.build();
    managers.add(built);
    return built;
  }

  @AfterEach
  void stop() {
    managers.forEach(EnsembleCacheManager::stop);
    scheduler.close();
  }

  private StubSite site(String name) {
    return sites.stream().filter(site -> site.name().equals(name)).findFirst().orElseThrow();
  }

  private StoredDefinition stored() {
    return manager.stored("s").orElseThrow();
  }

  private Reason reasonOfARead(SiteStore store) {
    Deadline deadline = Deadline.after(LONG, scheduler);
    try {
      store.read(Bytes.of((byte) 1), deadline).toCompletableFuture().join();
      throw new AssertionError("the store answered");
    } catch (CompletionException e) {
      return ((SiteException) e.getCause()).reason();
    }
  }

  /** Reads until the scheduler has followed up the missing store and found the deletion. */
  private static void untilItIsClosed(EnsembleCache<String, Integer> old) {
    long end = System.nanoTime() + DefinitionWatch.INTERVAL.toNanos() / 2;
    while (!(catchThrowable(() -> old.get("k")) instanceof CacheDeletedException)
        && System.nanoTime() < end) {
      Thread.onSpinWait();
    }
  }

  @Test
  void callsOnADeletedCacheFailByType() {
    EnsembleCache<String, Integer> cache = manager.createCache(STRONG);
    EnsembleCache<String, Integer> view = cache.withReturnValues();

    manager.deleteCache("s");

    assertThatExceptionOfType(CacheDeletedException.class)
        .isThrownBy(() -> cache.get("k"))
        .withMessageContaining("cache=s")
        .satisfies(e -> assertThat(e.cache()).isEqualTo("s"));
    assertThatExceptionOfType(CacheDeletedException.class).isThrownBy(() -> view.put("k", 1));
    assertThat(opened.get(0).stores()).allSatisfy(handle -> assertThat(handle.current()).isEmpty());
    assertThat(manager.getCache("s") == null).isTrue();
  }

  @Test
  void anotherManagersViewsEndWithTheFirstStoreThatTheyMiss() {
    manager.createCache(STRONG);
    EnsembleCacheManager second = manager();
    EnsembleCache<String, Integer> old = second.getCache("s");
    List<StoreHandle> handles = opened.get(1).stores();
    SiteStore missed = handles.get(0).current().orElseThrow();
    site("c").fails = Reason.UNREACHABLE;
    manager.deleteCache("s");
    site("c").fails = null;
    manager.createCache(STRONG).put("k", 7);
    assertThat(old.getName()).as("not known yet").isEqualTo("s");

    assertThat(reasonOfARead(missed)).isEqualTo(Reason.STORE_LOST);

    untilItIsClosed(old);
    assertThatExceptionOfType(CacheDeletedException.class).isThrownBy(() -> old.get("k"));
    assertThat(handles).allSatisfy(handle -> assertThat(handle.current()).isEmpty());
    assertThat(second.<String, Integer>getCache("s") == old).isFalse();
    assertThat(manager.<String, Integer>getCache("s").get("k")).isEqualTo(7);
  }

  @Test
  void whoCreatesACacheThatWasDeletedElsewhereOpensTheNewOne() {
    manager.createCache(STRONG);
    EnsembleCacheManager second = manager();
    EnsembleCache<String, Integer> old = second.getCache("s");
    manager.deleteCache("s");

    EnsembleCache<String, Integer> now = second.createCache(STRONG);

    now.put("k", 1);
    assertThatExceptionOfType(CacheDeletedException.class).isThrownBy(() -> old.get("k"));
    assertThat(opened.get(2).stores().get(0).current()).isPresent();
  }

  @Test
  void storesThatARecoveryNamedMeanwhileStay() {
    definitions.failAfterCreate = true;
    definitions.afterCreate =
        mine -> {
          StoredDefinition recovered = mine.withIncarnation("a", "0000000f");
          site("a").stores.clear();
          site("a").stores.put(recovered.store("a").orElseThrow(), StoreKind.ACCEPTOR);
          definitions.replace(recovered);
        };

    manager.createCache(STRONG);

    assertThat(stored().revision()).isEqualTo(2);
    assertThat(sites)
        .allSatisfy(
            site ->
                assertThat(site.stores)
                    .containsOnlyKeys(stored().store(site.name()).orElseThrow()));
  }

  @Test
  void whatADeletionCouldNotReachIsNobodysAndGoesWithTheNextCreation() {
    manager.createCache(STRONG);
    StoredDefinition before = stored();
    site("c").stores.put("s.1.1." + OTHER_BIRTH + ".00000001", StoreKind.PLAIN);
    site("c").stores.put("t.1." + OTHER_BIRTH + ".00000001", StoreKind.PLAIN);
    site("c").fails = Reason.UNREACHABLE;
    manager.deleteCache("s");
    site("c").fails = null;
    assertThat(site("c").stores).containsKey(before.store("c").orElseThrow());

    manager.createCache(STRONG);

    assertThat(stored().birth()).isNotEqualTo(before.birth());
    assertThat(site("c").stores)
        .as("others' stores stay")
        .containsOnlyKeys(
            stored().store("c").orElseThrow(),
            "s.1.1." + OTHER_BIRTH + ".00000001",
            "t.1." + OTHER_BIRTH + ".00000001");
  }

  @Test
  void anotherCatalogsCacheOfTheSameNameKeepsItsStores() {
    EnsembleCacheManager other = manager(new InMemoryDefinitions());
    other.createCache(STRONG);
    StoredDefinition theirs = other.stored("s").orElseThrow();

    manager.createCache(STRONG);
    site("a").stores.remove(stored().store("a").orElseThrow());
    manager.recoverSite("s", "a");
    manager.recoverSite("s", "b", LONG, FormerStorePolicy.DISCARD);
    assertThat(sites)
        .allSatisfy(
            site ->
                assertThat(site.stores)
                    .containsOnlyKeys(
                        stored().store(site.name()).orElseThrow(),
                        theirs.store(site.name()).orElseThrow()));
    manager.deleteCache("s");

    assertThat(sites)
        .allSatisfy(
            site ->
                assertThat(site.stores).containsOnlyKeys(theirs.store(site.name()).orElseThrow()));
  }

  @Test
  void theLongestNamesOfCachesLeaveRoomForThoseOfTheirStores() {
    String longest = "x".repeat(CacheDefinition.MAX_NAME_BYTES);
    manager.createCache(CacheDefinition.of(longest, Mode.MWMR).sites("a").build());
    StoredDefinition first = manager.stored(longest).orElseThrow();
    StoredDefinition late =
        new StoredDefinition(
            first.definition(),
            first.birth(),
            Long.MAX_VALUE,
            first.roll(),
            first.incarnations(),
            1,
            first.change(),
            first.fenced());

    assertThat(late.store("a").orElseThrow()).hasSizeLessThanOrEqualTo(255);
  }

  @Test
  void aDeletionTakesWhatAnEndedRecoveryLeft() {
    manager.createCache(STRONG);
    site("b").stores.put(stored().storeName("0000000f"), StoreKind.ACCEPTOR);
    String others = "s.1." + OTHER_BIRTH + ".00000001";
    site("c").stores.put(others, StoreKind.ACCEPTOR);

    manager.deleteCache("s");

    assertThat(site("a").stores).isEmpty();
    assertThat(site("b").stores).isEmpty();
    assertThat(site("c").stores).as("perhaps somebody creates it now").containsOnlyKeys(others);
  }

  @Test
  void aRecoveryTakesWhatEarlierOnesLeftAtItsSiteOnly() {
    manager.createCache(STRONG);
    StoredDefinition before = stored();
    for (String name : List.of("a", "b")) {
      site(name).stores.put(before.storeName("0000000f"), StoreKind.ACCEPTOR);
    }
    site("a").stores.remove(before.store("a").orElseThrow());

    manager.recoverSite("s", "a");

    assertThat(site("a").stores).containsOnlyKeys(stored().store("a").orElseThrow());
    assertThat(site("b").stores)
        .as("perhaps somebody fills it now")
        .containsOnlyKeys(before.store("b").orElseThrow(), before.storeName("0000000f"));
  }

  @Test
  void aRecoveryWhoseEndIsUnknownKeepsTheStoreThatIsNamed() {
    manager.createCache(STRONG);
    site("a").stores.clear();
    definitions.failAfterReplace = true;

    manager.recoverSite("s", "a");

    assertThat(site("a").stores).containsOnlyKeys(stored().store("a").orElseThrow());
  }

  @Test
  void aStoreThatRefusesAllRequestsIsDiscardedOnRequestOnly() {
    manager.createCache(STRONG);
    StoredDefinition before = stored();
    String refusing = before.store("a").orElseThrow();
    site("a").degraded.add(refusing);
    assertThatExceptionOfType(SiteException.class)
        .isThrownBy(() -> manager.recoverSite("s", "a"))
        .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.DEGRADED));
    assertThat(site("a").stores).containsOnlyKeys(refusing);

    manager.recoverSite("s", "a", LONG, FormerStorePolicy.DISCARD);

    assertThat(stored().birth()).isEqualTo(before.birth());
    assertThat(site("a").stores)
        .containsOnlyKeys(stored().store("a").orElseThrow())
        .doesNotContainKey(refusing);
  }

  @Test
  void aDiscardedStoreIsGoneBeforeItsSuccessorIsFilled() {
    manager.createCache(STRONG);
    StoredDefinition before = stored();
    engines
        .get(0)
        .nextFailures
        .add(new QuorumUnavailableException("s", new QuorumFailure(2, 3, Set.of(), Map.of())));

    assertThatExceptionOfType(QuorumUnavailableException.class)
        .isThrownBy(() -> manager.recoverSite("s", "a", LONG, FormerStorePolicy.DISCARD));

    assertThat(site("a").stores).isEmpty();
    assertThat(stored()).isEqualTo(before);
    manager.recoverSite("s", "a");
  }

  @Test
  void aStoreIsNotDiscardedWhileTooFewOthersAnswer() {
    manager.createCache(STRONG);
    StoredDefinition before = stored();
    site("b").fails = Reason.UNREACHABLE;

    assertThatExceptionOfType(QuorumUnavailableException.class)
        .isThrownBy(() -> manager.recoverSite("s", "a", LONG, FormerStorePolicy.DISCARD))
        .withMessageContainingAll("needs 2 of 3", "answered=[c]", "b=UNREACHABLE");

    assertThat(site("a").stores).containsOnlyKeys(before.store("a").orElseThrow());
    assertThatIllegalStateException().isThrownBy(() -> manager.recoverSite("s", "a"));
  }

  @Test
  void aRecoveryThatBeganBeforeADeletionChangesNothingInTheNewCache() {
    manager.createCache(STRONG);
    StoredDefinition before = stored();
    manager.deleteCache("s");
    manager.createCache(STRONG);
    StoredDefinition now = stored();

    assertThat(definitions.replace(before.withIncarnation("a", "0000000f")).toCompletableFuture())
        .isCompletedWithValue(false);
    assertThat(stored()).isEqualTo(now);
  }
}
