package io.ensemble.benchmarks.versions;

import io.ensemble.versioning.Index;

/**
 * How a versioned cache is opened.
 *
 * @param index which
 * @param deltas whether values are stored as what differs
 * @param keptBytes of how many bytes of entries that never change copies are kept
 */
record Setup(Index index, boolean deltas, long keptBytes) {

  /** As a user has it who says nothing else. */
  static Setup of(Index index) {
    return new Setup(index, false, 16 << 20);
  }

  Setup withDeltas() {
    return new Setup(index, true, keptBytes);
  }

  /** Every pack and shard is read when it is needed. */
  Setup withoutCopies() {
    return new Setup(index, deltas, 0);
  }

  String title() {
    return index + (deltas ? ", deltas" : "");
  }
}
