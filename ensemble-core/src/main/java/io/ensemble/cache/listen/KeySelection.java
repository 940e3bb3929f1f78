package io.ensemble.cache.listen;

import io.ensemble.partition.StableHash;
import io.ensemble.site.Bytes;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The stored keys that a stream follows.
 *
 * @param keys the only keys; null for all that the filter accepts
 * @param filter whether a key is followed, the same each time; must be quick and thread-safe
 * @param number tells selections apart, almost certainly; 0 for all keys
 */
public record KeySelection(@Nullable Set<Bytes> keys, Predicate<Bytes> filter, long number) {

  /** All keys. */
  public static final KeySelection ALL = new KeySelection(null, key -> true, 0);

  public KeySelection {
    keys = keys == null ? null : Set.copyOf(keys);
  }

  /** These keys only; replicas are asked for them and not scanned. */
  public static KeySelection of(Set<Bytes> keys) {
    return new KeySelection(
        keys, keys::contains, keys.stream().mapToLong(key -> StableHash.of(key.array())).sum());
  }

  /**
   * The keys that the filter accepts; replicas are scanned.
   *
   * @param name the same for equal filters only
   */
  public static KeySelection matching(String name, Predicate<Bytes> filter) {
    return new KeySelection(null, filter, ~StableHash.of(name));
  }

  boolean includes(Bytes key) {
    return filter.test(key);
  }
}
