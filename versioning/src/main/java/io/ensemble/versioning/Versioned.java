package io.ensemble.versioning;

import java.util.Objects;
import java.util.Optional;

/**
 * A version of a key.
 *
 * @param value empty if this version is a removal
 * @param <T> the versions
 * @param <V> the values
 */
public record Versioned<T, V>(T version, Optional<V> value) {

  /** Rejects null. */
  public Versioned {
    Objects.requireNonNull(version, "a version");
    Objects.requireNonNull(value, "a value, or none");
  }
}
