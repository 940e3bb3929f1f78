package io.ensemble.versioning;

import java.time.Duration;

/**
 * Which versions of a key stay. What need not stay is removed by what adds versions to the key, and
 * by {@link VersionedCache#sweep}; the versions that no other is above always stay. Removed is what
 * is in the way of neither bound: a version goes that is beyond the number, or was replaced before
 * the age, unless it was still shown at a time within the least age. Older parts of a large index
 * (shards) stay or go as a whole, so that up to as many more versions stay as one has.
 *
 * @param mostVersions so many of the last ones stay; 0 for no such bound
 * @param mostMillis what was replaced longer ago than that goes; 0 for no such bound
 * @param leastMillis what was shown within that time stays, whatever the other two say; 0 for none
 */
public record Retention(int mostVersions, long mostMillis, long leastMillis) {

  private static final Duration LONGEST = Duration.ofDays(365_000);

  /** All stay. */
  public static final Retention ALL = new Retention(0, 0, 0);

  /** Throws {@link IllegalArgumentException} for what is below zero. */
  public Retention {
    if (mostVersions < 0 || mostMillis < 0 || leastMillis < 0) {
      throw new IllegalArgumentException(
          "no number and no age below 0; got "
              + mostVersions
              + ", "
              + mostMillis
              + " ms, "
              + leastMillis
              + " ms");
    }
  }

  /** So many of the last versions. */
  public static Retention versions(int most) {
    return new Retention(positive(most), 0, 0);
  }

  /** What was shown within that time. */
  public static Retention age(Duration most) {
    return new Retention(0, millis(most), 0);
  }

  /** The same, and no more than so many versions. */
  public Retention atMost(int versions) {
    return new Retention(positive(versions), mostMillis, leastMillis);
  }

  /** The same, but whatever was shown within that time stays. */
  public Retention atLeast(Duration age) {
    return new Retention(mostVersions, mostMillis, millis(age));
  }

  /** Whether it goes by time. */
  boolean isTimed() {
    return mostMillis > 0 || leastMillis > 0;
  }

  /** In words. */
  String text() {
    return "of "
        + (mostVersions == 0 ? "any number" : mostVersions)
        + " up to "
        + (mostMillis == 0 ? "any age" : mostMillis + " ms")
        + (leastMillis == 0 ? "" : ", " + leastMillis + " ms at least");
  }

  private static int positive(int versions) {
    if (versions < 1) {
      throw new IllegalArgumentException("1 version or more stays; got " + versions);
    }
    return versions;
  }

  private static long millis(Duration age) {
    if (age.compareTo(Duration.ofMillis(1)) < 0 || age.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "an age of 1 ms to " + LONGEST.toDays() + " days is wanted; got " + age);
    }
    return age.toMillis();
  }
}
