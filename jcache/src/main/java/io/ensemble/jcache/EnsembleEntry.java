package io.ensemble.jcache;

import javax.cache.Cache;

/** A copy of an entry. */
record EnsembleEntry<K, V>(K key, V value) implements Cache.Entry<K, V> {

  @Override
  public K getKey() {
    return key;
  }

  @Override
  public V getValue() {
    return value;
  }

  @Override
  public <T> T unwrap(Class<T> type) {
    if (type.isInstance(this)) {
      return type.cast(this);
    }
    throw new IllegalArgumentException("an entry cannot be unwrapped to " + type.getName());
  }
}
