package io.ensemble.benchmarks.versions;

import io.ensemble.versioning.IndexType;

/**
 * The settings of a versioned cache.
 *
 * @param index the kind of index
 * @param deltas whether values are stored as differences
 * @param keptBytes the size of kept copies of immutable entries, in bytes
 */
record VersionedCacheSetup(IndexType index, boolean deltas, long keptBytes) {

  /** The default settings. */
  static VersionedCacheSetup of(IndexType index) {
    return new VersionedCacheSetup(index, false, 16 << 20);
  }

  VersionedCacheSetup withDeltas() {
    return new VersionedCacheSetup(index, true, keptBytes);
  }

  /** The same without copies: every pack and shard is read when it is needed. */
  VersionedCacheSetup withoutCopies() {
    return new VersionedCacheSetup(index, deltas, 0);
  }

  String title() {
    return index + (deltas ? ", deltas" : "");
  }
}
