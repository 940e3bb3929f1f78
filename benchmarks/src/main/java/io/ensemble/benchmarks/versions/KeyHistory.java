package io.ensemble.benchmarks.versions;

import io.ensemble.versioning.Versioned;
import java.util.List;

/** The versions of one key, the smallest first; at least one. */
record KeyHistory(String key, List<Versioned<Long, byte[]>> versions) {

  KeyHistory {
    versions = List.copyOf(versions);
  }

  /** The size of all values. */
  long payloadBytes() {
    return versions.stream().mapToLong(v -> v.value().map(value -> value.length).orElse(0)).sum();
  }
}
