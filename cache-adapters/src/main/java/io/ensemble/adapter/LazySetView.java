package io.ensemble.adapter;

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

/** A live view of a cache that iterates lazily. */
abstract class LazySetView<E> extends AbstractSet<E> implements CloseableIteratorSet<E> {

  private final BlockingMapAdapter<?, ?> cache;
  private final Supplier<CloseableIterator<E>> walk;

  LazySetView(BlockingMapAdapter<?, ?> cache, Supplier<CloseableIterator<E>> walk) {
    this.cache = cache;
    this.walk = walk;
  }

  @Override
  public CloseableIterator<E> iterator() {
    return walk.get();
  }

  /** Removes the elements without counting the cache. The inherited method would count it. */
  @Override
  public boolean removeAll(Collection<?> others) {
    boolean changed = false;
    for (Object other : others) {
      changed |= remove(other);
    }
    return changed;
  }

  @Override
  public CloseableSpliterator<E> spliterator() {
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

  /** Iterates once. The inherited method would count the cache first. */
  @Override
  public Object[] toArray() {
    return collected().toArray();
  }

  @Override
  public <A> A[] toArray(A[] array) {
    return collected().toArray(array);
  }

  private List<E> collected() {
    List<E> all = new ArrayList<>();
    try (CloseableIterator<E> each = iterator()) {
      each.forEachRemaining(all::add);
    }
    return all;
  }
}
