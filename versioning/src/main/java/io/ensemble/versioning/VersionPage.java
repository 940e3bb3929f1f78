package io.ensemble.versioning;

import java.util.List;
import java.util.Optional;

/**
 * A part of a range of versions.
 *
 * @param versions smallest first
 * @param cursor for the next page, which may be empty; none at the end of the range
 */
public record VersionPage<T, V>(List<Versioned<T, V>> versions, Optional<T> cursor) {

  /** Copies the list. */
  public VersionPage {
    versions = List.copyOf(versions);
  }
}
