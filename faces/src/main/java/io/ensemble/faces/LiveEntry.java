package io.ensemble.faces;

import java.util.AbstractMap;

/** A copy of an entry whose {@code setValue} puts. */
public final class LiveEntry<K, V> extends AbstractMap.SimpleEntry<K, V> {

  private static final long serialVersionUID = 1L;

  private final transient MapFace<K, V> cache;

  /** As it is now. */
  public LiveEntry(MapFace<K, V> cache, K key, V value) {
    super(key, value);
    this.cache = cache;
  }

  @Override
  public V setValue(V value) {
    cache.put(getKey(), value);
    return super.setValue(value);
  }
}
