package io.ensemble.near;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * What a near cache holds, and how old it may be. Immutable; each method returns a changed copy.
 *
 * @param filling what happens when a site reports a change
 * @param maxEntries how many keys are held at most, absent ones included
 * @param maxBytes how many bytes of memory the entries take at most, estimated. Each entry counts
 *     with {@code maxBytes / maxEntries} at least, rounded up, so that both bounds hold
 * @param staleness how old a value may be at the start of the call that returns it, from 1 ms to a
 *     day
 * @param allowsStaleReads whether reads of a cache in mode MWMR or SWMR may return values of this
 *     age
 * @param keys the only keys to hold; empty for all keys
 * @param prefix the only keys to hold are strings that begin with this prefix
 */
public record NearCacheSettings(
    Filling filling,
    int maxEntries,
    long maxBytes,
    Duration staleness,
    boolean allowsStaleReads,
    Set<Object> keys,
    Optional<String> prefix) {

  /** How a near cache uses the reports of sites. */
  public enum Filling {
    /** A key that changes is dropped, and read when it is next requested. */
    LAZY,
    /**
     * A key that changes is read in the background, whether or not it is held. So is a key that is
     * requested after half of the staleness.
     */
    EAGER
  }

  private static final Duration LEAST_STALENESS = Duration.ofMillis(1);
  private static final Duration MOST_STALENESS = Duration.ofDays(1);

  public NearCacheSettings {
    Objects.requireNonNull(filling, "filling");
    keys = Set.copyOf(keys);
    Objects.requireNonNull(prefix, "prefix");
    check(maxEntries >= 1, "maxEntries", "at least 1", maxEntries);
    check(
        maxBytes >= 1 && maxBytes / maxEntries < Integer.MAX_VALUE,
        "maxBytes",
        "at least 1, and less than 2 GiB for each entry",
        maxBytes);
    check(
        staleness.compareTo(LEAST_STALENESS) >= 0 && staleness.compareTo(MOST_STALENESS) <= 0,
        "staleness",
        "from 1 ms to 1 day",
        staleness);
  }

  private static void check(boolean isValid, String what, String accepted, Object got) {
    if (!isValid) {
      throw new IllegalArgumentException(
          "%s of a near cache must be %s; got %s".formatted(what, accepted, got));
    }
  }

  /** The least bytes with which an entry counts. */
  int leastWeight() {
    return (int) ((maxBytes + maxEntries - 1) / maxEntries);
  }

  /** A near cache that drops keys when they change. */
  public static NearCacheSettings lazy(int maxEntries, long maxBytes, Duration staleness) {
    return of(Filling.LAZY, maxEntries, maxBytes, staleness);
  }

  /** A near cache that reads keys in the background when they change. */
  public static NearCacheSettings eager(int maxEntries, long maxBytes, Duration staleness) {
    return of(Filling.EAGER, maxEntries, maxBytes, staleness);
  }

  private static NearCacheSettings of(
      Filling filling, int maxEntries, long maxBytes, Duration staleness) {
    return new NearCacheSettings(
        filling, maxEntries, maxBytes, staleness, false, Set.of(), Optional.empty());
  }

  /** The same, for a cache in any mode: reads may return values as old as the staleness. */
  public NearCacheSettings staleReads() {
    return new NearCacheSettings(filling, maxEntries, maxBytes, staleness, true, keys, prefix);
  }

  /** The same, for these keys only; reads of others pass through. */
  public NearCacheSettings ofKeys(Set<?> only) {
    if (only.isEmpty()) {
      throw new IllegalArgumentException("a near cache of keys requires at least one; got none");
    }
    return new NearCacheSettings(
        filling, maxEntries, maxBytes, staleness, allowsStaleReads, Set.copyOf(only), prefix);
  }

  /** The same, for string keys with this prefix only; reads of others pass through. */
  public NearCacheSettings ofPrefix(String only) {
    return new NearCacheSettings(
        filling, maxEntries, maxBytes, staleness, allowsStaleReads, keys, Optional.of(only));
  }
}
