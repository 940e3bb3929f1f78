package io.ensemble.adapter;

import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.infinispan.commons.util.CloseableIterator;

/** A live view of a cache's entries that iterates lazily and writes through. */
public final class EntriesView<K, V> extends LazySetView<Map.Entry<K, V>> {

  private final BlockingMapAdapter<K, V> cache;

  /**
   * @param walk begins an iteration over the entries
   */
  public EntriesView(
      BlockingMapAdapter<K, V> cache, Supplier<CloseableIterator<Map.Entry<K, V>>> walk) {
    super(cache, walk);
    this.cache = cache;
  }

  @Override
  public boolean contains(Object element) {
    if (!(element instanceof Map.Entry<?, ?> entry)) {
      return false;
    }
    V present = cache.get(entry.getKey());
    return present != null && Objects.deepEquals(present, entry.getValue());
  }

  @Override
  public boolean remove(Object element) {
    return element instanceof Map.Entry<?, ?> entry
        && cache.remove(entry.getKey(), entry.getValue());
  }
}
