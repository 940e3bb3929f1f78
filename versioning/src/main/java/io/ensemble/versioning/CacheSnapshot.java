package io.ensemble.versioning;

import io.ensemble.objects.runtime.BlockingWait;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import org.infinispan.commons.util.CloseableIterator;
import org.infinispan.commons.util.Closeables;

/**
 * A cache as of one version, all keys together (a consistent snapshot). Its content is stable,
 * including the absence of a value. Once a key was read, no process can add a version of that key
 * at or below the version of the snapshot; an attempt fails with {@link
 * VersioningException.VersionBelowSnapshot}. Thread-safe.
 *
 * <p>Any process that requests the snapshot of the same version sees the same content, until
 * compaction removes it: {@link VersioningException.VersionCompacted}. A purged key has no content
 * in a snapshot.
 */
public final class CacheSnapshot<K, V, T> {

  private final AsyncVersionedCache<K, V, T> cache;
  private final T version;

  CacheSnapshot(AsyncVersionedCache<K, V, T> cache, T version) {
    this.cache = cache;
    this.version = version;
  }

  /** The version of the snapshot. */
  public T version() {
    return version;
  }

  /**
   * The latest version of a key at or below the version of the snapshot; empty if there is none.
   * Costs one read, and one step in addition the first time that an existing key is read as of a
   * version above all earlier snapshots.
   */
  public Optional<Versioned<T, V>> get(K key) {
    return BlockingWait.toItsEnd(getAsync(key));
  }

  /** As {@link #get}, without waiting. */
  public CompletionStage<Optional<Versioned<T, V>>> getAsync(K key) {
    return cache.asOf(key, version, true);
  }

  /**
   * As {@link #get} for several keys in parallel; without keys that had no value or were removed.
   */
  public Map<K, Versioned<T, V>> getAll(Set<K> keys) {
    Map<K, Versioned<T, V>> all = new LinkedHashMap<>();
    try (ReadAheadIterator<K, Map.Entry<K, Versioned<T, V>>> readAheadIterator =
        new ReadAheadIterator<>(Closeables.iterator(keys.iterator()), this::entry)) {
      readAheadIterator.forEachRemaining(e -> all.put(e.getKey(), e.getValue()));
    }
    return all;
  }

  /**
   * Iterates over all keys that had a value then, in no order; the iterator must be closed. If a
   * key fails, the exception is thrown once, and the iteration continues with the next key.
   */
  public CloseableIterator<Map.Entry<K, Versioned<T, V>>> entries() {
    return new ReadAheadIterator<>(cache.keys(), this::entry);
  }

  private CompletionStage<Optional<Map.Entry<K, Versioned<T, V>>>> entry(K key) {
    return getAsync(key)
        .thenApply(found -> found.filter(v -> v.value().isPresent()).map(v -> Map.entry(key, v)));
  }

  /**
   * Iterates over the keys of the cache, in no order; the iterator must be closed. Some may have no
   * value in this snapshot: read them with {@link #getAsync}. A key that has one is returned once.
   */
  public CloseableIterator<K> keys() {
    return cache.keys();
  }

  /**
   * A number of the cache, the same in every process. If the cache is deleted and created again, it
   * has another one, also under the same name. One read; blocks.
   */
  public UUID birth() {
    return BlockingWait.toItsEnd(cache.birth());
  }

  /** The name of the cache and the version. */
  @Override
  public String toString() {
    return "CacheSnapshot[" + cache.cacheName() + " at " + version + "]";
  }

  /**
   * The keys whose versions differ in two snapshots of the same cache, in the order of {@link
   * #entries}. Two reads for each key of the cache.
   */
  public CloseableIterator<SnapshotDifference<K, V, T>> diff(CacheSnapshot<K, V, T> after) {
    return new ReadAheadIterator<>(cache.keys(), key -> difference(key, after));
  }

  private CompletionStage<Optional<SnapshotDifference<K, V, T>>> difference(
      K key, CacheSnapshot<K, V, T> after) {
    return getAsync(key)
        .thenCombine(
            after.getAsync(key),
            (was, is) ->
                was.map(Versioned::version).equals(is.map(Versioned::version))
                    ? Optional.empty()
                    : Optional.of(new SnapshotDifference<>(key, was, is)));
  }
}
