package io.ensemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.RepairableEngine;
import io.ensemble.cache.SiteRepair;
import io.ensemble.cache.adapter.InMemoryEngine;
import io.ensemble.catalog.StubSite;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.definition.StoredDistribution;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.change.ChangePhase;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.change.OwnerLiveness;
import io.ensemble.repartition.Repartition;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A process whose maintenance threads are all busy. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
class BusyMaintenanceTest {

  private static final int SITES = 10;

  private final ThreadScheduler scheduler = new ThreadScheduler(2);
  private final InMemoryDefinitions definitions = new InMemoryDefinitions();
  private final CompletableFuture<Long> compared = new CompletableFuture<>();
  private final AtomicInteger comparisons = new AtomicInteger();
  private final List<String> names = new ArrayList<>();
  private final EnsembleCacheManager manager = manager();

  private interface Watched extends CacheEngine, RepairableEngine, SiteRepair {}

  private CacheEngine engine(EngineContext cache) {
    InMemoryEngine inner = new InMemoryEngine(scheduler, scheduler::epochMicros);
    return (Watched)
        Proxy.newProxyInstance(
            Watched.class.getClassLoader(),
            new Class<?>[] {Watched.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "siteRepair" -> proxy;
                  case "canRepair" -> true;
                  case "missed" -> new SiteRepair.MissedKeyCount(0, false);
                  case "compare" -> comparing();
                  default -> method.invoke(inner, arguments);
                });
  }

  private CompletionStage<Long> comparing() {
    comparisons.incrementAndGet();
    return compared;
  }

  private EnsembleCacheManager manager() {
    EnsembleCacheManagerBuilder builder =
        EnsembleCacheManager.builder()
            .scheduler(scheduler)
            .definitions(definitions)
            .maintenance(true)
            .beat(Duration.ofMillis(250))
            .engine(Mode.MWMR, this::engine);
    for (int i = 0; i < SITES; i++) {
      names.add("s" + i);
      builder.site(new StubSite("s" + i));
    }
    return builder.build();
  }

  @AfterEach
  void stop() {
    compared.complete(0L);
    manager.stop();
    scheduler.close();
  }

  @Test
  void aTakeOverWaitsForNoComparison() throws Exception {
    manager.createCache(CacheDefinition.of("sealed", Mode.MWMR).sites("s0").build());
    manager.createCache(CacheDefinition.of("wide", Mode.MWMR).sites(names).build());
    for (String name : names) {
      manager
          .membership()
          .add(SiteEntry.open(name, List.of(new Endpoint("127.0.0.1", 1)), SiteStorage.MEMORY));
    }
    await("a comparison by every thread")
        .pollInterval(Duration.ofMillis(20))
        .atMost(Duration.ofMinutes(2))
        .until(() -> comparisons.get() >= 8); // One on each maintenance thread.
    StoredDefinition now = manager.stored("sealed").orElseThrow();
    CacheDefinition to = CacheDefinition.of("sealed", Mode.MWMR).sites("s1").build();
    ConfigurationChange left =
        ConfigurationChange.begun(
                to, Map.of("s1", "0000000b"), OwnerLiveness.NOBODY, new TreeSet<>())
            .at(ChangePhase.SEALING);
    definitions.replace(now.with(Optional.of(left)));

    await("the sealed change is taken over")
        .pollInterval(Duration.ofMillis(20))
        .atMost(Duration.ofMinutes(2))
        .until(
            () ->
                manager
                    .stored("sealed")
                    .filter(
                        stored -> stored.change().filter(change -> change.turn() == 1).isEmpty())
                    .isPresent());
  }

  /** Leaves a change without an owner that adds {@code coming}, a part that may be missing. */
  private void leaves(String name, String coming) {
    DistributedDefinition two = DistributedDefinition.of(name, "p", "q");
    manager.createDistributed(two);
    Repartition left = Repartition.begun(two.with(coming), OwnerLiveness.NOBODY);
    assertThat(definitions.distributions().replace(distribution(name).with(left)))
        .succeedsWithin(Duration.ofSeconds(30));
  }

  private StoredDistribution distribution(String name) {
    return definitions.distributions().get(name).toCompletableFuture().join().orElseThrow();
  }

  @Test
  void aChangeOfPartsIsTakenOverTooBesideOneThatCannotBe() throws Exception {
    manager
        .membership()
        .add(SiteEntry.open("s0", List.of(new Endpoint("127.0.0.1", 1)), SiteStorage.MEMORY));
    for (String part : List.of("p", "q", "r")) {
      manager.createCache(CacheDefinition.of(part, Mode.MWMR).sites("s0").build());
    }

    leaves("c", "gone");
    leaves("d", "r");

    await("the growth of d is taken over")
        .pollInterval(Duration.ofMillis(20))
        .atMost(Duration.ofMinutes(2))
        .until(() -> distribution("d").growth().filter(growth -> growth.turn() == 1).isEmpty());
    assertThat(distribution("c").growth().orElseThrow().turn()).isOne();
  }
}
