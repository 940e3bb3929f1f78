package io.ensemble.heat;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.Reconciliation;
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

/**
 * The entries in the cache {@value HeatMaps#CACHE} of a federation. The cache keeps siblings: if
 * two processes change one list of processes at the same time at different sites, both changes
 * stay, and readers merge them.
 *
 * @param lists the cache, in which concurrent lists of processes are merged
 */
record SharedHeatEntries(EnsembleCache<String, byte[]> cache, EnsembleCache<String, byte[]> lists)
    implements HeatEntries {

  /** A window is about 8 kB, and 40 kB at most. */
  private static final int LARGEST_BYTES = 1 << 18;

  private static final int MOST_SITES = 3;

  /** How many concurrent changes of a list are kept. */
  private static final int SIBLINGS = 16;

  private static SharedHeatEntries of(EnsembleCache<String, byte[]> cache) {
    // An operator may have created the cache without siblings: then a change may be lost, and the
    // process announces itself again with its next window.
    return new SharedHeatEntries(
        cache,
        cache.definition().keepsSiblings()
            ? cache.reconciled(Reconciliation.merging(SharedHeatEntries::merged))
            : cache);
  }

  private static byte[] merged(byte[] one, byte[] other) {
    return HeatClients.of(one).and(HeatClients.of(other)).toBytes();
  }

  /** The entries, if some process has created the cache. */
  static Optional<HeatEntries> open(EnsembleCacheManager manager) {
    EnsembleCache<String, byte[]> cache = manager.getCache(HeatMaps.CACHE);
    return Optional.ofNullable(cache).map(SharedHeatEntries::of);
  }

  static HeatEntries openOrCreate(EnsembleCacheManager manager) {
    return open(manager)
        .orElseGet(
            () -> {
              try {
                return of(manager.createCache(definition(manager)));
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
    return definition(sites.subList(0, Math.min(MOST_SITES, sites.size())));
  }

  static CacheDefinition definition(List<String> sites) {
    return CacheDefinition.of(HeatMaps.CACHE, Mode.WEAK)
        .sites(sites)
        .maxValueBytes(LARGEST_BYTES)
        .siblings(SIBLINGS)
        .build();
  }

  @Override
  public void put(String key, byte[] value, Duration lifespan) {
    cache.put(key, value, lifespan.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public void change(String key, UnaryOperator<byte @Nullable []> change, Duration lifespan) {
    lists.compute(
        key, (any, present) -> change.apply(present), lifespan.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public Map<String, byte[]> getAll(Set<String> keys) {
    return cache.getAll(keys);
  }

  @Override
  public Map<String, byte[]> getLists(Set<String> keys) {
    return lists.getAll(keys);
  }
}
