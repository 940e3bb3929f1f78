package io.ensemble.faces;

import java.util.AbstractSet;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Spliterator;
import java.util.function.Supplier;
import org.infinispan.commons.util.CloseableIterator;
import org.infinispan.commons.util.CloseableIteratorSet;
import org.infinispan.commons.util.CloseableSpliterator;
import org.infinispan.commons.util.Closeables;

/** A cache's keys, as a live view that walks lazily and removes through. */
public final class KeyView<K, V> extends AbstractSet<K> implements CloseableIteratorSet<K> {

  private final MapFace<K, V> cache;
  private final Supplier<CloseableIterator<K>> walk;

  /**
   * @param walk begins a walk over them
   */
  public KeyView(MapFace<K, V> cache, Supplier<CloseableIterator<K>> walk) {
    this.cache = cache;
    this.walk = walk;
  }

  @Override
  public CloseableIterator<K> iterator() {
    return walk.get();
  }

  @Override
  public boolean contains(Object key) {
    return cache.containsKey(key);
  }

  @Override
  public boolean remove(Object key) {
    return Boolean.TRUE.equals(cache.awaited(() -> cache.operations().removePresent(key)));
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
  public CloseableSpliterator<K> spliterator() {
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

  private List<K> collected() {
    List<K> all = new ArrayList<>();
    iterator().forEachRemaining(all::add);
    return all;
  }
}
