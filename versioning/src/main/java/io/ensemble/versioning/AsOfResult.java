package io.ensemble.versioning;

import java.util.Optional;

/**
 * The version that a key had at some moment, or the reason why there is none.
 *
 * @param <T> the versions
 * @param <V> the values
 */
public sealed interface AsOfResult<T, V> {

  /** The version of that moment; its value is empty if it is a removal. */
  record Present<T, V>(Versioned<T, V> version) implements AsOfResult<T, V> {}

  /** The key had no version yet. */
  record Absent<T, V>() implements AsOfResult<T, V> {}

  /**
   * Compaction or a retention has removed versions of that moment and before.
   *
   * @param oldest the smallest version that is kept: the nearest one that is known, and later than
   *     the moment
   */
  record Compacted<T, V>(Versioned<T, V> oldest) implements AsOfResult<T, V> {}

  /** The version of that moment; empty for {@link Absent} and {@link Compacted}. */
  default Optional<Versioned<T, V>> found() {
    return this instanceof Present<T, V> present
        ? Optional.of(present.version())
        : Optional.empty();
  }

  /** A version, or none. */
  static <T, V> AsOfResult<T, V> of(Optional<Versioned<T, V>> version) {
    return version.isPresent() ? new Present<>(version.get()) : new Absent<>();
  }
}
