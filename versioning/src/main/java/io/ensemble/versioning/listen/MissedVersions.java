package io.ensemble.versioning.listen;

import java.util.Optional;

/** Versions that were added and can no longer be delivered. */
public sealed interface MissedVersions<K, T> {

  /** The key of the versions. */
  K key();

  /**
   * Versions that were compacted, or purged, before they were delivered.
   *
   * @param first the sequence number of the first of them
   * @param last the sequence number of the last one; all in between were removed, too
   * @param horizon compaction removed all versions below it; empty if the key was purged, and not
   *     compacted since
   */
  record Gone<K, T>(K key, long first, long last, Optional<T> horizon)
      implements MissedVersions<K, T> {

    /** The number of versions. */
    public long count() {
      return last - first + 1;
    }
  }

  /**
   * The key has another history than before: the store was emptied, or a process disposed of the
   * history. Versions added to the former history after the last delivered one are unknown; the
   * present history is delivered from its beginning.
   *
   * @param last the sequence number of the last delivered version of the former history
   */
  record OtherHistory<K, T>(K key, long last) implements MissedVersions<K, T> {}
}
