package io.ensemble.jcache;

import javax.cache.Cache;
import javax.cache.event.CacheEntryEvent;
import javax.cache.event.EventType;
import org.jspecify.annotations.Nullable;

/** A change of an entry by an operation on a cache object of this process. */
final class LocalEvent<K, V> extends CacheEntryEvent<K, V> {

  private static final long serialVersionUID = 1L;

  private final transient K key;
  private final transient V value;
  private final transient @Nullable V oldValue;

  /**
   * @param value the new value; that before if the entry was removed
   */
  LocalEvent(Cache<K, V> cache, EventType type, K key, V value, @Nullable V oldValue) {
    super(cache, type);
    this.key = key;
    this.value = value;
    this.oldValue = oldValue;
  }

  @Override
  public K getKey() {
    return key;
  }

  @Override
  public V getValue() {
    return value;
  }

  @Override
  public @Nullable V getOldValue() {
    return oldValue;
  }

  @Override
  public boolean isOldValueAvailable() {
    return oldValue != null;
  }

  @Override
  public <T> T unwrap(Class<T> type) {
    if (type.isInstance(this)) {
      return type.cast(this);
    }
    throw new IllegalArgumentException("an event cannot be unwrapped to " + type.getName());
  }
}
