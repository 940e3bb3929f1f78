package io.ensemble.adapter;

import java.util.AbstractMap;

/** A copy of an entry. Its {@code setValue} also puts the value into the cache. */
public final class WriteThroughEntry<K, V> extends AbstractMap.SimpleEntry<K, V> {

  private static final long serialVersionUID = 1L;

  private final transient BlockingMapAdapter<K, V> cache;

  /** Copies the entry as it is now. */
  public WriteThroughEntry(BlockingMapAdapter<K, V> cache, K key, V value) {
    super(key, value);
    this.cache = cache;
  }

  @Override
  public V setValue(V value) {
    cache.put(getKey(), value);
    return super.setValue(value);
  }
}
