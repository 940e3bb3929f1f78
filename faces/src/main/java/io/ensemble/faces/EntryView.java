package io.ensemble.faces;

import java.util.AbstractSet;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Spliterator;
import java.util.function.Supplier;
import org.infinispan.commons.util.CloseableIterator;
import org.infinispan.commons.util.CloseableIteratorSet;
import org.infinispan.commons.util.CloseableSpliterator;
import org.infinispan.commons.util.Closeables;

/** A cache's entries, as a live view that walks lazily and writes through. */
public final class EntryView<K, V> extends AbstractSet<Map.Entry<K, V>>
    implements CloseableIteratorSet<Map.Entry<K, V>> {

  private final MapFace<K, V> cache;
  private final Supplier<CloseableIterator<Map.Entry<K, V>>> walk;

  /**
   * @param walk begins a walk over them
   */
  public EntryView(MapFace<K, V> cache, Supplier<CloseableIterator<Map.Entry<K, V>>> walk) {
    this.cache = cache;
    this.walk = walk;
  }

  @Override
  public CloseableIterator<Map.Entry<K, V>> iterator() {
    return walk.get();
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

  /** Without counting, which the inherited method does. */
  @Override
  public boolean removeAll(Collection<?> others) {
    boolean changed = false;
    for (Object other : others) {
      changed |= remove(other);
    }
    return changed;
  }

  @Override
  public CloseableSpliterator<Map.Entry<K, V>> spliterator() {
    return Closeables.spliterator(
        iterator(),
        Long.MAX_VALUE,
        Spliterator.CONCURRENT | Spliterator.NONNULL | Spliterator.DISTINCT);
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

  /** One walk, where the inherited method would count first. */
  @Override
  public Object[] toArray() {
    return collected().toArray();
  }

  @Override
  public <A> A[] toArray(A[] array) {
    return collected().toArray(array);
  }

  private List<Map.Entry<K, V>> collected() {
    List<Map.Entry<K, V>> all = new ArrayList<>();
    iterator().forEachRemaining(all::add);
    return all;
  }
}
