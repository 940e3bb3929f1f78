package io.ensemble.benchmarks.versions;

import io.ensemble.versioning.IndexType;

/**
 * How a versioned cache is opened.
 *
 * @param index which
 * @param deltas whether values are stored as what differs
 * @param keptBytes of how many bytes of entries that never change copies are kept
 */
record VersionedCacheSetup(IndexType index, boolean deltas, long keptBytes) {

  /** As a user has it who says nothing else. */
  static VersionedCacheSetup of(IndexType index) {
    return new VersionedCacheSetup(index, false, 16 << 20);
  }

  VersionedCacheSetup withDeltas() {
    return new VersionedCacheSetup(index, true, keptBytes);
  }

  /** Every pack and shard is read when it is needed. */
  VersionedCacheSetup withoutCopies() {
    return new VersionedCacheSetup(index, deltas, 0);
  }

  String title() {
    return index + (deltas ? ", deltas" : "");
  }
}
