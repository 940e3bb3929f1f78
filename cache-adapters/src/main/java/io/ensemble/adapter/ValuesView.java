package io.ensemble.adapter;

import java.util.AbstractCollection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Spliterator;
import java.util.function.Supplier;
import org.infinispan.commons.util.CloseableIterator;
import org.infinispan.commons.util.CloseableIteratorCollection;
import org.infinispan.commons.util.CloseableSpliterator;
import org.infinispan.commons.util.Closeables;

/**
 * A live view of a cache's values that iterates lazily. A removal from the view removes the key
 * from the cache.
 */
public final class ValuesView<K, V> extends AbstractCollection<V>
    implements CloseableIteratorCollection<V> {

  private final BlockingMapAdapter<K, V> cache;
  private final Supplier<CloseableIterator<V>> walk;

  /**
   * @param walk begins an iteration over the values
   */
  public ValuesView(BlockingMapAdapter<K, V> cache, Supplier<CloseableIterator<V>> walk) {
    this.cache = cache;
    this.walk = walk;
  }

  @Override
  public CloseableIterator<V> iterator() {
    return walk.get();
  }

  @Override
  public boolean contains(Object value) {
    return cache.containsValue(value);
  }

  /** Removes one key whose value is {@code value} at the time of the removal. */
  @Override
  public boolean remove(Object value) {
    try (CloseableIterator<Map.Entry<K, V>> entries = cache.entrySet().iterator()) {
      while (entries.hasNext()) {
        Map.Entry<K, V> entry = entries.next();
        if (Objects.deepEquals(entry.getValue(), value) && cache.remove(entry.getKey(), value)) {
          return true;
        }
      }
      return false;
    }
  }

  @Override
  public CloseableSpliterator<V> spliterator() {
    return Closeables.spliterator(
        iterator(), Long.MAX_VALUE, Spliterator.CONCURRENT | Spliterator.NONNULL);
  }

  @Override
  public int size() {
    return cache.size();
  }

  @Override
  public boolean isEmpty() {
    return cache.isEmpty();
  }

  @Override
  public void clear() {
    cache.clear();
  }

  /** Iterates once. The inherited method would count the cache first. */
  @Override
  public Object[] toArray() {
    return collected().toArray();
  }

  @Override
  public <A> A[] toArray(A[] array) {
    return collected().toArray(array);
  }

  private List<V> collected() {
    List<V> all = new ArrayList<>();
    try (CloseableIterator<V> each = iterator()) {
      each.forEachRemaining(all::add);
    }
    return all;
  }
}
