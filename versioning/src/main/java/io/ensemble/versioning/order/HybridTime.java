package io.ensemble.versioning.order;

import java.time.Instant;

/**
 * A time of a hybrid clock.
 *
 * @param millis since 1970, of the clock of some process
 * @param count of versions within that millisecond
 */
public record HybridTime(long millis, int count) implements Comparable<HybridTime> {

  /** Throws {@link IllegalArgumentException} for negative numbers. */
  public HybridTime {
    if (millis < 0 || count < 0) {
      throw new IllegalArgumentException(
          "time and count must be 0 or more; got " + millis + ", " + count);
    }
  }

  /** The last time of that moment: a snapshot at it contains the whole millisecond. */
  public static HybridTime at(Instant moment) {
    return new HybridTime(moment.toEpochMilli(), Integer.MAX_VALUE);
  }

  HybridTime next() {
    return count == Integer.MAX_VALUE
        ? new HybridTime(Math.addExact(millis, 1), 0)
        : new HybridTime(millis, count + 1);
  }

  @Override
  public int compareTo(HybridTime other) {
    int byMillis = Long.compare(millis, other.millis);
    return byMillis != 0 ? byMillis : Integer.compare(count, other.count);
  }

  @Override
  public String toString() {
    return millis + "." + count;
  }
}
