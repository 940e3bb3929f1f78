package io.ensemble.collection;

import io.ensemble.versioning.BinaryCodec;
import io.ensemble.versioning.CacheSnapshot;
import io.ensemble.versioning.Versioned;

/**
 * Collections of versioned caches. Needs the module {@code ensemble-versioning}, which does not
 * come with this one.
 */
public final class SnapshotCollection {

  private SnapshotCollection() {}

  /**
   * The entries of a versioned cache as of the version of the snapshot: a consistent cut. Any
   * number of iterations, in any process, return the same entries, until compaction removes
   * versions of that age: then {@code next} throws {@code VersioningException.VersionCompacted} at
   * the key. Costs one read for each key of the cache, and one step the first time that a key is
   * read as of so high a version. The scan of the keys remembers them by fingerprints, as {@code
   * keySet} does.
   *
   * <p>A position belongs to the cache and the version, which must have the same {@code toString}
   * in every process. A position of a cache that was deleted and created again since is refused.
   * The first position that a collection takes or returns costs one read.
   *
   * @param keys the codec of the cache's keys
   */
  public static <K, V, T> EntryCollection<K, Versioned<T, V>> of(
      CacheSnapshot<K, V, T> snapshot, BinaryCodec<K> keys) {
    return EntryCollection.of(new SnapshotEntries<>(snapshot, keys));
  }
}
