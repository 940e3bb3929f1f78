package io.ensemble.spring;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import io.ensemble.Mode;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.MapSite;
import io.ensemble.spring.EnsembleProperties.CacheSettings;
import io.ensemble.spring.EnsembleProperties.Caching;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

/** Sites a, b and c in memory, a clock of entries, and managers on one catalog. */
final class MapSiteFederation implements AutoCloseable {

  static final CacheSettings NO_MODE = new CacheSettings(null, null, null, null, null, null, null);

  final ThreadScheduler scheduler = new ThreadScheduler(2);
  final ExecutorService executor =
      Executors.newFixedThreadPool(4, task -> new Thread(task, "application"));
  final AtomicLong epochMicros = new AtomicLong(1_000_000);
  private final InMemoryDefinitions definitions = new InMemoryDefinitions();
  private final List<MapSite> sites =
      List.of(
          new MapSite("a", scheduler), new MapSite("b", scheduler), new MapSite("c", scheduler));
  private final List<EnsembleCacheManager> managers = new ArrayList<>();

  EnsembleCacheManager manager() {
    EnsembleCacheManagerBuilder builder =
        EnsembleCacheManager.builder()
            .scheduler(scheduler)
            .definitions(definitions)
            .clock(epochMicros::incrementAndGet);
    sites.forEach(builder::site);
    EnsembleCacheManager manager = builder.build();
    managers.add(manager);
    return manager;
  }

  SpringCacheManagerAdapter adapter(EnsembleCacheManager manager, CacheSettings defaults) {
    return adapter(manager, defaults, Map.of());
  }

  SpringCacheManagerAdapter adapter(
      EnsembleCacheManager manager, CacheSettings defaults, Map<String, CacheSettings> caches) {
    return new SpringCacheManagerAdapter(
        manager, new Caching(defaults, caches, Duration.ofMinutes(1)), executor, System::nanoTime);
  }

  static CacheSettings settings(Mode mode) {
    return new CacheSettings(mode, null, null, null, null, null, null);
  }

  @Override
  public void close() {
    managers.forEach(EnsembleCacheManager::close);
    executor.shutdownNow();
    scheduler.close();
  }
}
