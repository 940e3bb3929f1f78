package io.ensemble.versioning;

import io.ensemble.adapter.WriteThroughEntry;
import java.util.Map;
import java.util.function.Function;
import org.infinispan.commons.util.CloseableIterator;
import org.jspecify.annotations.Nullable;

/** An iterator over the latest values that supports removal. */
final class LatestIterator<K, V, E> implements CloseableIterator<E> {

  private final VersionedCache<K, V, ?> cache;
  private final ReadAheadIterator<K, Map.Entry<K, V>> readAheadIterator;
  private final Function<WriteThroughEntry<K, V>, E> view;
  private @Nullable K last;

  LatestIterator(VersionedCache<K, V, ?> cache, Function<WriteThroughEntry<K, V>, E> view) {
    this.cache = cache;
    this.readAheadIterator = cache.async().walk();
    this.view = view;
  }

  @Override
  public boolean hasNext() {
    return readAheadIterator.hasNext();
  }

  @Override
  public E next() {
    Map.Entry<K, V> entry = readAheadIterator.next();
    last = entry.getKey();
    return view.apply(new WriteThroughEntry<>(cache, entry.getKey(), entry.getValue()));
  }

  /** Removes the key that {@link #next()} returned, whatever its present value is. */
  @Override
  public void remove() {
    K met = last;
    if (met == null) {
      throw new IllegalStateException("remove() may be called once after each next()");
    }
    cache.remove(met);
    last = null;
  }

  @Override
  public void close() {
    readAheadIterator.close();
  }
}
