package io.ensemble.jcache;

import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import javax.cache.Cache;
import org.infinispan.commons.util.CloseableIterator;
import org.jspecify.annotations.Nullable;

/**
 * An iteration over the entries of a cache, which fetches them in batches. An iteration that is
 * left early should be closed. Not thread-safe.
 */
final class EntryCursor<K, V> implements Iterator<Cache.Entry<K, V>>, AutoCloseable {

  private final EnsembleJCache<K, V> cache;
  private final EntryStore<K, V> store;
  private final CacheStatistics statistics;
  private final CloseableIterator<Map.Entry<Object, Object>> entries;
  private @Nullable K last;

  EntryCursor(EnsembleJCache<K, V> cache, EntryStore<K, V> store, CacheStatistics statistics) {
    this.cache = cache;
    this.store = store;
    this.statistics = statistics;
    this.entries = EntryStore.called(() -> store.cache().entrySet().iterator());
  }

  @Override
  public boolean hasNext() {
    return EntryStore.called(entries::hasNext);
  }

  @Override
  public Cache.Entry<K, V> next() {
    cache.ensureOpen();
    if (!hasNext()) {
      throw new NoSuchElementException("no more entries");
    }
    long start = System.nanoTime();
    Map.Entry<Object, Object> found = EntryStore.called(entries::next);
    K key = store.form().read(found.getKey());
    V value = store.form().read(found.getValue());
    store.touch(found.getKey(), found.getValue());
    statistics.lookup(true, start);
    last = key;
    return new EnsembleEntry<>(key, value);
  }

  /** Removes the entry that {@link #next} returned, whatever its value is now. */
  @Override
  public void remove() {
    K key = last;
    if (key == null) {
      throw new IllegalStateException("remove() may be called once after each next()");
    }
    last = null;
    cache.remove(key);
  }

  @Override
  public void close() {
    entries.close();
  }
}
