package io.ensemble.benchmarks.store;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import io.ensemble.Mode;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.infinispan.commons.util.CloseableIterator;
import org.jspecify.annotations.Nullable;

/**
 * Records in a cache of Ensemble. The first site counts as the local one.
 *
 * <p>If a WEAK read is slow at the local site, the client sends it to the next site as well. That
 * site may not have received a new key yet, and its answer that there is none is within the mode's
 * promise. So a key that is not found is read again, a few times, and the repetitions are counted.
 */
final class EnsembleRecords implements RecordStore {

  private static final int REREADS = 5;

  private final EnsembleCacheManager manager;
  private final EnsembleCache<String, byte[]> cache;
  private final boolean atomic;
  private final LongAdder rereads = new LongAdder();

  EnsembleRecords(EnsembleCacheManager manager, EnsembleCache<String, byte[]> cache) {
    this.manager = manager;
    this.cache = cache;
    this.atomic = cache.definition().mode() != Mode.WEAK;
  }

  static EnsembleRecords open(StoreSettings settings) {
    EnsembleCacheManagerBuilder builder =
        EnsembleCacheManager.builder().localSite(settings.sites().get(0).name());
    settings.sites().forEach(builder::site);
    if (settings.catalog() != null) {
      builder.catalog(settings.catalog());
    }
    EnsembleCacheManager manager = builder.build();
    try {
      EnsembleCache<String, byte[]> cache =
          manager.getOrCreateCache(
              CacheDefinition.of(settings.cache(), settings.mode().ensembleMode())
                  .sites(settings.holders())
                  .deadline(settings.deadline())
                  .build());
      return new EnsembleRecords(manager, cache);
    } catch (RuntimeException failure) {
      manager.close();
      throw failure;
    }
  }

  @Override
  public byte @Nullable [] read(String key) {
    byte[] found = cache.get(key);
    if (found != null || atomic) {
      return found;
    }
    for (int i = 0; found == null && i < REREADS; i++) {
      rereads.increment();
      found = cache.get(key);
    }
    return found;
  }

  @Override
  public void insert(String key, byte[] record) {
    cache.put(key, record);
  }

  @Override
  public boolean update(String key, Map<String, byte[]> changes) {
    if (atomic) {
      return cache.computeIfPresent(key, (same, found) -> RecordCodec.merge(found, changes))
          != null;
    }
    byte[] found = read(key);
    if (found == null) {
      return false;
    }
    cache.put(key, RecordCodec.merge(found, changes));
    return true;
  }

  @Override
  public void delete(String key) {
    cache.remove(key);
  }

  @Override
  public List<Entry> scan(String start, int count) {
    SmallestKeys smallest = new SmallestKeys(start, count);
    try (CloseableIterator<Map.Entry<String, byte[]>> walk = cache.entrySet().iterator()) {
      while (walk.hasNext()) {
        Map.Entry<String, byte[]> met = walk.next();
        smallest.offer(met.getKey(), met::getValue);
      }
    }
    return smallest.inOrder();
  }

  @Override
  public long rereads() {
    return rereads.sum();
  }

  @Override
  public void drop() {
    manager.deleteCache(cache.getName());
  }

  @Override
  public void close() {
    manager.close();
  }
}
