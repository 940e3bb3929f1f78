package io.ensemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.DynamicQuorumEngine;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.RecoverableEngine;
import io.ensemble.cache.adapter.InMemoryEngine;
import io.ensemble.catalog.StubSite;
import io.ensemble.catalog.definition.Definitions;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.primary.VoterSet;
import io.ensemble.redundancy.CacheRedundancy;
import io.ensemble.redundancy.CacheRedundancy.Replica;
import io.ensemble.redundancy.ReplicaState;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.SiteException.Reason;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A process finds the missing replicas of the caches that it has open, and the reasons. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
class StoreCheckerTest {

  private static final Duration BEAT = Duration.ofMillis(50);
  private static final String ONE = "000000aa";
  private static final String TWO = "000000bb";
  private static final String THREE = "000000cc";

  private final ThreadScheduler scheduler = new ThreadScheduler(2);
  private volatile boolean isCatalogAway;
  private volatile boolean isFilled;
  private final Definitions definitions = failing(new InMemoryDefinitions());
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final StubSite lyon = new StubSite("lyon");
  private final StubSite oslo = new StubSite("oslo");
  private final CompletableFuture<Long> refill = new CompletableFuture<>();
  private final List<EnsembleCacheManager> managers = new ArrayList<>();

  private Definitions failing(Definitions catalog) {
    return (Definitions)
        Proxy.newProxyInstance(
            Definitions.class.getClassLoader(),
            new Class<?>[] {Definitions.class},
            (proxy, method, arguments) ->
                isCatalogAway
                    ? CompletableFuture.failedFuture(
                        new CatalogException(CatalogException.Reason.UNAVAILABLE, "away"))
                    : method.invoke(catalog, arguments));
  }

  private interface Refilled extends CacheEngine, RecoverableEngine {}

  private interface Counting extends CacheEngine, RecoverableEngine, DynamicQuorumEngine {}

  private CacheEngine engine(EngineContext cache) {
    InMemoryEngine inner = new InMemoryEngine(scheduler, scheduler::epochMicros);
    return (Refilled)
        Proxy.newProxyInstance(
            Refilled.class.getClassLoader(),
            new Class<?>[] {Refilled.class},
            (proxy, method, arguments) ->
                method.getName().equals("refill") ? refill : method.invoke(inner, arguments));
  }

  /** An engine of an SWMR cache at two sites; a new store is incomplete until {@link #isFilled}. */
  private CacheEngine counting(EngineContext cache) {
    InMemoryEngine inner = new InMemoryEngine(scheduler, scheduler::epochMicros);
    return (Counting)
        Proxy.newProxyInstance(
            Counting.class.getClassLoader(),
            new Class<?>[] {Counting.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "follow" -> {
                    ((Runnable) arguments[1]).run();
                    yield null;
                  }
                  case "whenOver" -> null;
                  case "end" -> {
                    VoterSet roll = (VoterSet) arguments[0];
                    @SuppressWarnings("unchecked")
                    List<String> next = (List<String>) arguments[2];
                    yield CompletableFuture.completedFuture(roll.succeeded(roll.firstTerm(), next));
                  }
                  case "fill" ->
                      isFilled
                          ? CompletableFuture.completedFuture(null)
                          : CompletableFuture.failedFuture(new IllegalStateException("not yet"));
                  case "filled" -> CompletableFuture.completedFuture(0L);
                  default -> method.invoke(inner, arguments);
                });
  }

  private EnsembleCacheManager manager(boolean refilling) {
    EnsembleCacheManager manager =
        EnsembleCacheManager.builder()
            .scheduler(scheduler)
            .definitions(definitions)
            .metrics(meters)
            .refilling(refilling)
            .beat(BEAT)
            .engine(Mode.MWMR, this::engine)
            .engine(Mode.WEAK, this::engine)
            .engine(Mode.SWMR, this::counting)
            .site(lyon)
            .site(oslo)
            .build();
    managers.add(manager);
    return manager;
  }

  @AfterEach
  void stop() {
    refill.complete(0L);
    managers.forEach(EnsembleCacheManager::stop);
    scheduler.close();
  }

  private StoredDefinition created(EnsembleCacheManager manager) {
    lyon.nodeKeys = List.of(ONE, TWO, THREE);
    lyon.nodeCount = 3;
    manager.createCache(CacheDefinition.of("s", Mode.MWMR).sites("lyon").build());
    return manager.stored("s").orElseThrow();
  }

  private static void awaitMissing(EnsembleCacheManager manager, Replica... wanted) {
    await("missing replicas")
        .pollInterval(Duration.ofMillis(20))
        .atMost(Duration.ofMinutes(1))
        .until(
            () ->
                manager
                    .redundancy("s")
                    .filter(known -> known.missing().equals(List.of(wanted)))
                    .isPresent());
  }

  private double gauge(String meter) {
    return meters.get(meter).tag("cache", "s").tag("mode", "MWMR").gauge().value();
  }

  /** The site is healthy, and there are no reads or writes. */
  @Test
  void aReplicaWhoseNodeIsDeadIsMissingUntilTheNodeAnswers() {
    EnsembleCacheManager manager = manager(false);
    List<CacheRedundancy> told = new CopyOnWriteArrayList<>();
    manager.listenToRedundancy(told::add);
    created(manager);
    awaitMissing(manager);

    lyon.silentNodes.add(TWO);

    awaitMissing(manager, new Replica("lyon/2", ReplicaState.NODE_UNREACHABLE));
    assertThat(gauge("ensemble.cache.replicas")).isEqualTo(3);
    assertThat(gauge("ensemble.cache.replicas.whole")).isEqualTo(2);
    assertThat(gauge("ensemble.cache.can.lose")).isZero();
    lyon.silentNodes.clear();
    awaitMissing(manager);
    await("the listener was called")
        .atMost(Duration.ofMinutes(1))
        .until(() -> told.stream().map(CacheRedundancy::whole).toList().equals(List.of(2, 3)));
    assertThat(gauge("ensemble.cache.can.lose")).isEqualTo(1);
  }

  @Test
  void aStoreThatIsLostIsMissingWhileItIsRefilledAndOthersAreCheckedMeanwhile() {
    EnsembleCacheManager manager = manager(true);
    StoredDefinition before = created(manager);
    awaitMissing(manager);

    lyon.stores.remove(before.store("lyon/1").orElseThrow());
    Replica lost = new Replica("lyon/1", ReplicaState.LOST);
    awaitMissing(manager, lost);
    await("the refill has begun")
        .atMost(Duration.ofMinutes(1))
        .until(() -> lyon.stores.size() == 3);
    lyon.silentNodes.add(THREE);

    awaitMissing(manager, lost, new Replica("lyon/3", ReplicaState.NODE_UNREACHABLE));
    lyon.silentNodes.clear();
    refill.complete(7L);
    awaitMissing(manager);
  }

  /** Otherwise an operator might restart the other site, which has the only complete copy. */
  @Test
  void aReplacedStoreOfTwoSitesIsMissingUntilItHasAll() {
    EnsembleCacheManager manager = manager(true);
    manager.createCache(CacheDefinition.of("s", Mode.SWMR).sites("lyon", "oslo").build());
    awaitMissing(manager);

    oslo.stores.clear();
    await("the store is replaced")
        .atMost(Duration.ofMinutes(1))
        .until(() -> manager.stored("s").orElseThrow().roll().number() == 2);

    Replica lost = new Replica("oslo", ReplicaState.LOST);
    awaitMissing(manager, lost);
    await("it stays missing")
        .during(BEAT.multipliedBy(10))
        .atMost(Duration.ofMinutes(1))
        .until(() -> manager.redundancy("s").orElseThrow().missing().equals(List.of(lost)));
    isFilled = true;
    awaitMissing(manager);
  }

  @Test
  void replicasAreCheckedWhileTheCatalogIsAway() {
    EnsembleCacheManager manager = manager(false);
    created(manager);
    awaitMissing(manager);

    isCatalogAway = true;
    lyon.silentNodes.add(ONE);

    awaitMissing(manager, new Replica("lyon/1", ReplicaState.NODE_UNREACHABLE));
    isCatalogAway = false;
  }

  @Test
  void aCacheThatIsNotOpenIsCheckedOnceItIsAskedAbout() {
    StoredDefinition stored = created(manager(false));
    EnsembleCacheManager other = manager(false);
    lyon.silentNodes.add(THREE);

    assertThat(other.redundancyOf(stored).missing()).isEmpty();
    await("it is checked")
        .pollInterval(Duration.ofMillis(20))
        .atMost(Duration.ofMinutes(1))
        .until(() -> other.redundancyOf(stored).whole() == 2);
    assertThat(other.redundancy("s")).as("it is not open").isEmpty();
  }

  @Test
  void oneCheckTellsANodeFromASite() {
    EnsembleCacheManager manager = manager(false);
    StoredDefinition stored = created(manager);
    lyon.silentNodes.add(TWO);
    lyon.stores.remove(stored.store("lyon/3").orElseThrow());

    assertThat(manager.checkRedundancy("s").missing())
        .containsExactly(
            new Replica("lyon/2", ReplicaState.NODE_UNREACHABLE),
            new Replica("lyon/3", ReplicaState.LOST));
    lyon.fails = Reason.UNREACHABLE;
    assertThat(manager.checkRedundancy("s").missing())
        .extracting(Replica::state)
        .containsOnly(ReplicaState.SITE_DOWN)
        .hasSize(3);
  }
}
