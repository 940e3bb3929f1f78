package io.ensemble.versioning;

import io.ensemble.objects.runtime.BlockingWait;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.infinispan.commons.util.CloseableIterator;
import org.infinispan.commons.util.Closeables;

/**
 * A cache as it was at one version, all keys together (a consistent cut). What it shows stays so,
 * also that a key had no value: once a key was read, no version at the cut, or below, is added to
 * it, by anybody; who tries is answered with {@link VersioningException.VersionBelowCut}.
 * Thread-safe.
 *
 * <p>Any process that asks for the cut of the same version sees the same, until compaction takes
 * it: {@link VersioningException.VersionCompacted}. Of a key that was purged it shows nothing.
 */
public final class CacheSnapshot<K, V, T> {

  private final AsyncVersionedCache<K, V, T> cache;
  private final T version;

  CacheSnapshot(AsyncVersionedCache<K, V, T> cache, T version) {
    this.cache = cache;
    this.version = version;
  }

  /** What it is of. */
  public T version() {
    return version;
  }

  /**
   * The latest version of a key at or below the cut; empty if it had none. One read, and a step the
   * first time that a key which is there is read as of a cut above all former ones.
   */
  public Optional<Versioned<T, V>> get(K key) {
    return BlockingWait.toItsEnd(getAsync(key));
  }

  /** As {@link #get}, without waiting. */
  public CompletionStage<Optional<Versioned<T, V>>> getAsync(K key) {
    return cache.asOf(key, version, true);
  }

  /** The same of several keys at once; without those that had no value, or were removed. */
  public Map<K, Versioned<T, V>> getAll(Set<K> keys) {
    Map<K, Versioned<T, V>> all = new LinkedHashMap<>();
    try (ReadAheadIterator<K, Map.Entry<K, Versioned<T, V>>> readAheadIterator =
        new ReadAheadIterator<>(Closeables.iterator(keys.iterator()), this::entry)) {
      readAheadIterator.forEachRemaining(e -> all.put(e.getKey(), e.getValue()));
    }
    return all;
  }

  /**
   * All keys that had a value then, in no order, as the walk goes on; to be closed. What one key
   * fails with is thrown once, and the walk goes on with the next one.
   */
  public CloseableIterator<Map.Entry<K, Versioned<T, V>>> entries() {
    return new ReadAheadIterator<>(cache.keys(), this::entry);
  }

  private CompletionStage<Optional<Map.Entry<K, Versioned<T, V>>>> entry(K key) {
    return getAsync(key)
        .thenApply(found -> found.filter(v -> v.value().isPresent()).map(v -> Map.entry(key, v)));
  }

  /**
   * The keys whose versions differ in two cuts of the same cache, as {@link #entries} walks. Two
   * reads for each key of the cache.
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
