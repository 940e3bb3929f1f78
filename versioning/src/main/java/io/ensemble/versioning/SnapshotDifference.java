package io.ensemble.versioning;

import java.util.Optional;

/**
 * A key whose versions differ in two snapshots.
 *
 * @param before the version in the first snapshot; empty if there was none
 * @param after the version in the second snapshot
 */
public record SnapshotDifference<K, V, T>(
    K key, Optional<Versioned<T, V>> before, Optional<Versioned<T, V>> after) {

  /** The kind of the difference. */
  public Kind kind() {
    boolean was = before.flatMap(Versioned::value).isPresent();
    boolean is = after.flatMap(Versioned::value).isPresent();
    if (was && is) {
      return Kind.CHANGED;
    }
    return is ? Kind.ADDED : was ? Kind.REMOVED : Kind.STILL_REMOVED;
  }

  /** The kinds of differences. */
  public enum Kind {
    ADDED,
    CHANGED,
    REMOVED,
    /**
     * No value in either snapshot, but another removal, or an addition and a removal in between.
     */
    STILL_REMOVED
  }
}
