package io.ensemble.objects.sync.view;

import io.ensemble.objects.sync.SharedMap;
import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/** A {@link SharedMap} as a {@link ConcurrentMap}; see {@link SharedMap#asConcurrentMap}. */
public final class ConcurrentMapView<K, V> extends AbstractMap<K, V>
    implements ConcurrentMap<K, V> {

  private final SharedMap<K, V> map;
  private final Class<K> keyType;
  private final Class<V> valueType;

  /** A view whose arguments of other classes are absent. */
  public ConcurrentMapView(SharedMap<K, V> map, Class<K> keyType, Class<V> valueType) {
    this.map = map;
    this.keyType = keyType;
    this.valueType = valueType;
  }

  /** Null for a key of another class, which has no value. */
  private @Nullable K key(@Nullable Object key) {
    Objects.requireNonNull(key, "a key");
    return keyType.isInstance(key) ? keyType.cast(key) : null;
  }

  /** Null for a value of another class, which no key has. */
  private @Nullable V value(@Nullable Object value) {
    Objects.requireNonNull(value, "a value");
    return valueType.isInstance(value) ? valueType.cast(value) : null;
  }

  @Override
  public int size() {
    return map.size();
  }

  @Override
  public boolean containsKey(@Nullable Object key) {
    K wanted = key(key);
    return wanted != null && map.containsKey(wanted);
  }

  @Override
  public boolean containsValue(@Nullable Object value) {
    return value(value) != null && super.containsValue(value);
  }

  @Override
  public @Nullable V get(@Nullable Object key) {
    K wanted = key(key);
    return wanted == null ? null : map.get(wanted);
  }

  @Override
  public @Nullable V put(K key, V value) {
    return map.put(key, value);
  }

  @Override
  public void putAll(Map<? extends K, ? extends V> more) {
    map.putAll(more);
  }

  @Override
  public @Nullable V putIfAbsent(K key, V value) {
    return map.putIfAbsent(key, value);
  }

  @Override
  public @Nullable V replace(K key, V value) {
    return map.replace(key, value);
  }

  @Override
  public boolean replace(K key, V expected, V value) {
    return map.replaceIf(key, expected, value);
  }

  @Override
  public @Nullable V remove(@Nullable Object key) {
    K wanted = key(key);
    return wanted == null ? null : map.remove(wanted);
  }

  @Override
  public boolean remove(@Nullable Object key, @Nullable Object expected) {
    K wanted = key(key);
    V present = value(expected);
    return wanted != null && present != null && map.removeIf(wanted, present);
  }

  @Override
  public void clear() {
    map.clear();
  }

  /** Each iterator runs over a copy of the keys at one moment; removals go to the map. */
  @Override
  public Set<K> keySet() {
    return new AbstractSet<>() {
      @Override
      public int size() {
        return map.size();
      }

      @Override
      public boolean contains(@Nullable Object key) {
        return containsKey(key);
      }

      @Override
      public boolean remove(@Nullable Object key) {
        return ConcurrentMapView.this.remove(key) != null;
      }

      @Override
      public void clear() {
        map.clear();
      }

      @Override
      public Iterator<K> iterator() {
        Iterator<Entry<K, V>> entries = entrySet().iterator();
        return new Iterator<>() {
          @Override
          public boolean hasNext() {
            return entries.hasNext();
          }

          @Override
          public K next() {
            return entries.next().getKey();
          }

          @Override
          public void remove() {
            entries.remove();
          }
        };
      }
    };
  }

  /**
   * Each iterator runs over a copy of the map at one moment; changes go to the map. An entry is
   * removed only if the map still has its value.
   */
  @Override
  public Set<Entry<K, V>> entrySet() {
    return new AbstractSet<>() {
      @Override
      public int size() {
        return map.size();
      }

      @Override
      public void clear() {
        map.clear();
      }

      @Override
      public boolean remove(@Nullable Object entry) {
        return entry instanceof Entry<?, ?> removed
            && ConcurrentMapView.this.remove(removed.getKey(), removed.getValue());
      }

      @Override
      public Iterator<Entry<K, V>> iterator() {
        return new EntryIterator(map.snapshot().entrySet().iterator());
      }
    };
  }

  /** Removes an entry only if the map still has the value that the iterator returned. */
  private final class EntryIterator implements Iterator<Entry<K, V>> {

    private final Iterator<Entry<K, V>> copies;
    private @Nullable Entry<K, V> returned;

    EntryIterator(Iterator<Entry<K, V>> copies) {
      this.copies = copies;
    }

    @Override
    public boolean hasNext() {
      return copies.hasNext();
    }

    @Override
    public Entry<K, V> next() {
      Entry<K, V> next = copies.next();
      Entry<K, V> entry =
          new SimpleEntry<>(next) {
            @Override
            public V setValue(V value) {
              map.put(getKey(), value);
              return super.setValue(value);
            }
          };
      returned = entry;
      return entry;
    }

    @Override
    public void remove() {
      Entry<K, V> entry = returned;
      if (entry == null) {
        throw new IllegalStateException("next must be called before remove");
      }
      returned = null;
      map.removeIf(entry.getKey(), entry.getValue());
    }
  }
}
