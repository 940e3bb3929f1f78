package io.ensemble.versioning.history;

import org.jspecify.annotations.Nullable;

/**
 * Which versions are wanted, in the versions' order unless it is said otherwise.
 *
 * @param lower null for no bound
 * @param upper null for no bound
 * @param limit how many at most, the first ones in the direction
 * @param descending whether the largest come first
 * @param after only those that were added after that sequence number, the first ones first,
 *     whatever their versions; -1 for all, in the versions' order
 * @param maximal only those that no other is above, all of which stand in the key's entry
 */
public record VersionQuery(
    byte @Nullable [] lower,
    boolean lowerIncluded,
    byte @Nullable [] upper,
    boolean upperIncluded,
    int limit,
    boolean descending,
    long after,
    boolean maximal) {

  /** All of them. */
  public static final VersionQuery ALL =
      new VersionQuery(null, true, null, true, Integer.MAX_VALUE, false, -1, false);

  /** That one. */
  public static VersionQuery of(byte[] version) {
    return new VersionQuery(version, true, version, true, 1, true, -1, false);
  }

  /** The last one. */
  public static VersionQuery last() {
    return ALL.limit(1).descend();
  }

  /** Those that no other is above, the last one first. */
  public static VersionQuery maxima() {
    return new VersionQuery(null, true, null, true, Integer.MAX_VALUE, true, -1, true);
  }

  /** From that one on, or from above it. */
  public VersionQuery from(byte[] version, boolean included) {
    return new VersionQuery(
        version, included, upper, upperIncluded, limit, descending, after, maximal);
  }

  /** Up to that one, or to below it. */
  public VersionQuery to(byte[] version, boolean included) {
    return new VersionQuery(
        lower, lowerIncluded, version, included, limit, descending, after, maximal);
  }

  /** At most so many. */
  public VersionQuery limit(int count) {
    return new VersionQuery(
        lower, lowerIncluded, upper, upperIncluded, count, descending, after, maximal);
  }

  /** From the largest one down. */
  public VersionQuery descend() {
    return new VersionQuery(
        lower, lowerIncluded, upper, upperIncluded, limit, true, after, maximal);
  }

  /** Only those added after that one, in the order in which they were added. */
  public VersionQuery after(long sequence) {
    return new VersionQuery(
        lower, lowerIncluded, upper, upperIncluded, limit, descending, sequence, maximal);
  }

  /** Whether the order is that in which they were added. */
  public boolean asAdded() {
    return after >= 0;
  }
}
