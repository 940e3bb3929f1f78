package io.ensemble;

import io.ensemble.cache.EngineContext;
import io.ensemble.cache.adapter.InMemoryEngine;
import io.ensemble.catalog.StubSite;
import io.ensemble.catalog.definition.DistributedDefinitions;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.schedule.ThreadScheduler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;

/** Managers over three stub sites, with engines over maps. */
public abstract class DistributedFixture {

  public final ThreadScheduler scheduler = new ThreadScheduler(2);
  public final InMemoryDefinitions definitions = new InMemoryDefinitions();
  public final DistributedDefinitions distributions = definitions.distributions();
  public final List<StubSite> sites =
      List.of(new StubSite("a"), new StubSite("b"), new StubSite("c"));
  public final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  public final Map<String, InMemoryEngine> engines = new ConcurrentHashMap<>();
  public final List<EnsembleCacheManager> managers = new ArrayList<>();
  public final EnsembleCacheManager manager = manager("a");

  public EnsembleCacheManager manager(String localSite) {
    EnsembleCacheManagerBuilder builder =
        EnsembleCacheManager.builder()
            .scheduler(scheduler)
            .definitions(definitions)
            .metrics(registry)
            .engine(Mode.MWMR, this::engine)
            .engine(Mode.WEAK, this::engine);
    sites.forEach(builder::site);
    if (!localSite.isEmpty()) {
      builder.localSite(localSite);
    }
    managers.add(builder.build());
    return managers.get(managers.size() - 1);
  }

  /** The suffix of the names of caches that cannot be opened. */
  public volatile String unopenable = "none";

  /** Returns the same engine for a reopened cache, so that its content outlives a close. */
  private InMemoryEngine engine(EngineContext cache) {
    if (cache.definition().name().endsWith(unopenable)) {
      throw new IllegalStateException("planted");
    }
    return engines.computeIfAbsent(
        cache.definition().name(), name -> new InMemoryEngine(scheduler, scheduler::epochMicros));
  }

  @AfterEach
  public void stop() {
    managers.forEach(EnsembleCacheManager::stop);
    scheduler.close();
  }

  public <V> EnsembleCache<String, V> part(String name, String... sites) {
    return manager.createCache(CacheDefinition.of(name, Mode.MWMR).sites(sites).build());
  }

  /** Creates {@code definition} over the parts p at a, q at b, and r at all sites. */
  public DistributedEnsembleCache<String, Integer> distributed(DistributedDefinition definition) {
    part("p", "a");
    part("q", "b");
    part("r", "a", "b", "c");
    return manager.createDistributed(definition);
  }

  public static final DistributedDefinition PQR = DistributedDefinition.of("d", "p", "q", "r");
}
