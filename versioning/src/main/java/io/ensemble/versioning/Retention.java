package io.ensemble.versioning;

import java.time.Duration;

/**
 * Which versions of a key are kept. Additions to the key, and {@link VersionedCache#sweep}, remove
 * versions that need not be kept; the heads, which have no version above them, always remain. A
 * version is removed if it is beyond the number, or was replaced before the maximum age. It is kept
 * all the same if it was the latest one at a time within the minimum age. Older parts of a large
 * index (shards) are kept or removed as a whole, so up to one shard more of versions may remain.
 *
 * @param mostVersions the number of last versions to keep; 0 for no such bound
 * @param mostMillis versions replaced longer ago are removed; 0 for no such bound
 * @param leastMillis versions that were the latest one within this time are kept, despite the other
 *     two bounds; 0 for none
 */
public record Retention(int mostVersions, long mostMillis, long leastMillis) {

  private static final Duration LONGEST = Duration.ofDays(365_000);

  /** Keeps all versions. */
  public static final Retention ALL = new Retention(0, 0, 0);

  /** Throws {@link IllegalArgumentException} for negative numbers. */
  public Retention {
    if (mostVersions < 0 || mostMillis < 0 || leastMillis < 0) {
      throw new IllegalArgumentException(
          "number and ages must be 0 or more; got "
              + mostVersions
              + ", "
              + mostMillis
              + " ms, "
              + leastMillis
              + " ms");
    }
  }

  /** Keeps this number of last versions. */
  public static Retention versions(int most) {
    return new Retention(positive(most), 0, 0);
  }

  /** Keeps the versions that were the latest one within this time. */
  public static Retention age(Duration most) {
    return new Retention(0, millis(most), 0);
  }

  /** Returns a copy that keeps at most this number of versions. */
  public Retention atMost(int versions) {
    return new Retention(positive(versions), mostMillis, leastMillis);
  }

  /** Returns a copy that keeps all versions that were the latest one within this time. */
  public Retention atLeast(Duration age) {
    return new Retention(mostVersions, mostMillis, millis(age));
  }

  /** Whether a bound is a time. */
  boolean isTimed() {
    return mostMillis > 0 || leastMillis > 0;
  }

  /** A description for messages. */
  String text() {
    return "of "
        + (mostVersions == 0 ? "any number" : mostVersions)
        + " up to "
        + (mostMillis == 0 ? "any age" : mostMillis + " ms")
        + (leastMillis == 0 ? "" : ", " + leastMillis + " ms at least");
  }

  private static int positive(int versions) {
    if (versions < 1) {
      throw new IllegalArgumentException("number of versions must be 1 or more; got " + versions);
    }
    return versions;
  }

  private static long millis(Duration age) {
    if (age.compareTo(Duration.ofMillis(1)) < 0 || age.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "age must be in [1 ms, " + LONGEST.toDays() + " days]; got " + age);
    }
    return age.toMillis();
  }
}
