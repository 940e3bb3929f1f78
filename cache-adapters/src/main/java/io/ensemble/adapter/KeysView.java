package io.ensemble.adapter;

import java.util.function.Supplier;
import org.infinispan.commons.util.CloseableIterator;

/**
 * A live view of a cache's keys that iterates lazily. A removal from the view removes the key from
 * the cache.
 */
public final class KeysView<K, V> extends LazySetView<K> {

  private final BlockingMapAdapter<K, V> cache;

  /**
   * @param walk begins an iteration over the keys
   */
  public KeysView(BlockingMapAdapter<K, V> cache, Supplier<CloseableIterator<K>> walk) {
    super(cache, walk);
    this.cache = cache;
  }

  @Override
  public boolean contains(Object key) {
    return cache.containsKey(key);
  }

  @Override
  public boolean remove(Object key) {
    return Boolean.TRUE.equals(cache.awaited(() -> cache.operations().removePresent(key)));
  }
}
