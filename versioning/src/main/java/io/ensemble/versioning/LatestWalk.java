package io.ensemble.versioning;

import io.ensemble.faces.LiveEntry;
import java.util.Map;
import java.util.function.Function;
import org.infinispan.commons.util.CloseableIterator;
import org.jspecify.annotations.Nullable;

/** A walk over the latest values, that removes through. */
final class LatestWalk<K, V, E> implements CloseableIterator<E> {

  private final VersionedCache<K, V, ?> cache;
  private final Walk<K, Map.Entry<K, V>> walk;
  private final Function<LiveEntry<K, V>, E> view;
  private @Nullable K last;

  LatestWalk(VersionedCache<K, V, ?> cache, Function<LiveEntry<K, V>, E> view) {
    this.cache = cache;
    this.walk = cache.async().walk();
    this.view = view;
  }

  @Override
  public boolean hasNext() {
    return walk.hasNext();
  }

  @Override
  public E next() {
    Map.Entry<K, V> entry = walk.next();
    last = entry.getKey();
    return view.apply(new LiveEntry<>(cache, entry.getKey(), entry.getValue()));
  }

  /** Removes the key that {@link #next()} met, whatever value it has by now. */
  @Override
  public void remove() {
    K met = last;
    if (met == null) {
      throw new IllegalStateException("remove() comes once after each next()");
    }
    cache.remove(met);
    last = null;
  }

  @Override
  public void close() {
    walk.close();
  }
}
