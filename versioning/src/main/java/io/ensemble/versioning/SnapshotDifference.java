package io.ensemble.versioning;

import java.util.Optional;

/**
 * A key whose version is another one in a second cut.
 *
 * @param before its version in the first one; empty if it had none
 * @param after in the second one
 */
public record SnapshotDifference<K, V, T>(
    K key, Optional<Versioned<T, V>> before, Optional<Versioned<T, V>> after) {

  /** Whether the key had a value, and has another, or none, or had none. */
  public Kind kind() {
    boolean was = before.flatMap(Versioned::value).isPresent();
    boolean is = after.flatMap(Versioned::value).isPresent();
    if (was && is) {
      return Kind.CHANGED;
    }
    return is ? Kind.ADDED : was ? Kind.REMOVED : Kind.STILL_REMOVED;
  }

  /** What happened to it. */
  public enum Kind {
    ADDED,
    CHANGED,
    REMOVED,
    /** It has no value in either, but was removed by another version, or added meanwhile. */
    STILL_REMOVED
  }
}
