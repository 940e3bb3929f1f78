package io.ensemble.primary;

import io.ensemble.stamp.Stamp;
import org.jspecify.annotations.Nullable;

/**
 * What a site holds of a key.
 *
 * @param mark its place in the order
 * @param settled false at the primary while a recovered copy is not known to be held by a majority:
 *     nobody may answer from it
 * @param origin who wrote the value and when, which recovery does not change
 * @param value the value; null for a removed key
 */
public record Copy<V>(CopyPosition mark, boolean settled, Stamp origin, @Nullable V value) {

  private static final Copy<?> ABSENT = new Copy<>(CopyPosition.NONE, true, Stamp.NONE, null);

  /** What a site shows that holds nothing. */
  @SuppressWarnings("unchecked")
  public static <V> Copy<V> absent() {
    return (Copy<V>) ABSENT;
  }

  /** Whether there is nothing, not even the memory of a removal. */
  public boolean isAbsent() {
    return mark.equals(CopyPosition.NONE);
  }

  Copy<V> at(CopyPosition place, boolean isSettled) {
    return new Copy<>(place, isSettled, origin, value);
  }
}
