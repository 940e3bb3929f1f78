package io.ensemble.primary;

import io.ensemble.stamp.Stamp;
import org.jspecify.annotations.Nullable;

/**
 * The copy of a key at a site.
 *
 * @param mark its position in the order
 * @param settled false at the primary while a recovered copy is not known to be held by a majority:
 *     no process may answer from it
 * @param origin the stamp of the write that wrote the value, which recovery does not change
 * @param value the value; null for a removed key
 */
public record Copy<V>(CopyPosition mark, boolean settled, Stamp origin, @Nullable V value) {

  private static final Copy<?> ABSENT = new Copy<>(CopyPosition.NONE, true, Stamp.NONE, null);

  /** The copy of a site that holds nothing. */
  @SuppressWarnings("unchecked")
  public static <V> Copy<V> absent() {
    return (Copy<V>) ABSENT;
  }

  /** Whether the site holds nothing, not even the record of a removal. */
  public boolean isAbsent() {
    return mark.equals(CopyPosition.NONE);
  }

  Copy<V> withPosition(CopyPosition position, boolean isSettled) {
    return new Copy<>(position, isSettled, origin, value);
  }
}
