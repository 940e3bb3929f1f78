package io.ensemble.versioning.listen;

import java.util.Optional;

/** Versions that were added and cannot be told any more. */
public sealed interface MissedVersions<K, T> {

  /** Whose they were. */
  K key();

  /**
   * Versions that were compacted, or purged, before they were told.
   *
   * @param first the sequence number of the first of them
   * @param last that of the last one; all between them are gone, too
   * @param horizon below which compaction has left nothing; empty if the key was purged, and not
   *     compacted since
   */
  record Gone<K, T>(K key, long first, long last, Optional<T> horizon)
      implements MissedVersions<K, T> {

    /** How many. */
    public long count() {
      return last - first + 1;
    }
  }

  /**
   * The key's history is another one than before: the store was emptied, or somebody disposed of
   * it. What was added to the former one after the last version that was told is not known; the
   * present one is told from its beginning.
   *
   * @param last the sequence number of the last version of the former one that was told
   */
  record OtherHistory<K, T>(K key, long last) implements MissedVersions<K, T> {}
}
