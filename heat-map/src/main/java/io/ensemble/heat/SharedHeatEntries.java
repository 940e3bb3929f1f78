package io.ensemble.heat;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.catalog.definition.CacheExistsException;
import io.ensemble.catalog.site.SiteEntry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The entries in the cache {@value HeatMaps#CACHE} of a federation. */
record SharedHeatEntries(EnsembleCache<String, byte[]> cache) implements HeatEntries {

  /** A window is about 8 kB, and 40 kB at most. */
  private static final int LARGEST_BYTES = 1 << 18;

  private static final int MOST_SITES = 3;

  /** The entries, if some process has created the cache. */
  static Optional<HeatEntries> open(EnsembleCacheManager manager) {
    EnsembleCache<String, byte[]> cache = manager.getCache(HeatMaps.CACHE);
    return Optional.ofNullable(cache).map(SharedHeatEntries::new);
  }

  static HeatEntries openOrCreate(EnsembleCacheManager manager) {
    return open(manager)
        .orElseGet(
            () -> {
              try {
                return new SharedHeatEntries(manager.createCache(definition(manager)));
              } catch (CacheExistsException other) { // Created just now, with other sites.
                return open(manager).orElseThrow(() -> other);
              }
            });
  }

  private static CacheDefinition definition(EnsembleCacheManager manager) {
    List<String> serving =
        manager.membership().entries().stream()
            .filter(entry -> entry.state() == SiteEntry.State.SERVING)
            .map(SiteEntry::name)
            .sorted()
            .toList();
    List<String> sites = serving.isEmpty() ? List.copyOf(manager.siteNames()) : serving;
    return CacheDefinition.of(HeatMaps.CACHE, Mode.WEAK)
        .sites(sites.subList(0, Math.min(MOST_SITES, sites.size())))
        .maxValueBytes(LARGEST_BYTES)
        .build();
  }

  @Override
  public void put(String key, byte[] value, Duration lifespan) {
    cache.put(key, value, lifespan.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public void change(String key, UnaryOperator<byte @Nullable []> change, Duration lifespan) {
    cache.compute(
        key, (any, present) -> change.apply(present), lifespan.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public Map<String, byte[]> getAll(Set<String> keys) {
    return cache.getAll(keys);
  }
}
