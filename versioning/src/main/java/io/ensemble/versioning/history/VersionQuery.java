package io.ensemble.versioning.history;

import org.jspecify.annotations.Nullable;

/**
 * The requested versions, in the order of versions unless stated otherwise.
 *
 * @param lower null for no bound
 * @param upper null for no bound
 * @param limit the maximum number, the first ones in the direction
 * @param descending whether the largest come first
 * @param after only versions added after that sequence number, in the order of insertion; -1 for
 *     all, in the order of versions
 * @param headsOnly only versions with no version above them, which are all in the key's entry
 */
public record VersionQuery(
    byte @Nullable [] lower,
    boolean lowerIncluded,
    byte @Nullable [] upper,
    boolean upperIncluded,
    int limit,
    boolean descending,
    long after,
    boolean headsOnly) {

  /** All versions. */
  public static final VersionQuery ALL =
      new VersionQuery(null, true, null, true, Integer.MAX_VALUE, false, -1, false);

  /** One version. */
  public static VersionQuery of(byte[] version) {
    return new VersionQuery(version, true, version, true, 1, true, -1, false);
  }

  /** The last version. */
  public static VersionQuery last() {
    return ALL.limit(1).descend();
  }

  /** The versions with no version above them, the last one first. */
  public static VersionQuery heads() {
    return new VersionQuery(null, true, null, true, Integer.MAX_VALUE, true, -1, true);
  }

  /** Returns a copy with this lower bound. */
  public VersionQuery from(byte[] version, boolean included) {
    return new VersionQuery(
        version, included, upper, upperIncluded, limit, descending, after, headsOnly);
  }

  /** Returns a copy with this upper bound. */
  public VersionQuery to(byte[] version, boolean included) {
    return new VersionQuery(
        lower, lowerIncluded, version, included, limit, descending, after, headsOnly);
  }

  /** Returns a copy with this limit. */
  public VersionQuery limit(int count) {
    return new VersionQuery(
        lower, lowerIncluded, upper, upperIncluded, count, descending, after, headsOnly);
  }

  /** Returns a copy in descending order. */
  public VersionQuery descend() {
    return new VersionQuery(
        lower, lowerIncluded, upper, upperIncluded, limit, true, after, headsOnly);
  }

  /** Returns a copy for versions added after that sequence number, in the order of insertion. */
  public VersionQuery after(long sequence) {
    return new VersionQuery(
        lower, lowerIncluded, upper, upperIncluded, limit, descending, sequence, headsOnly);
  }

  /** Whether the order is that of insertion. */
  public boolean asAdded() {
    return after >= 0;
  }
}
