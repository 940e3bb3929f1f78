package io.ensemble.versioning;

import io.ensemble.objects.runtime.BlockingWait;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The reads of a versioned cache: of the present state, or a {@linkplain VersionedCache#sequential
 * somewhat older} one. Thread-safe.
 *
 * @param <K> the keys
 * @param <V> the values
 * @param <T> the versions
 */
public sealed class VersionedReads<K, V, T> permits VersionedCache {

  private final AsyncVersionedReads<K, V, T> reads;

  VersionedReads(AsyncVersionedReads<K, V, T> reads) {
    this.reads = reads;
  }

  /**
   * The latest version; of several versions with none above them, the last in the order of the
   * space.
   */
  public Optional<Versioned<T, V>> latest(K key) {
    return BlockingWait.toItsEnd(reads.latest(key));
  }

  /** All versions with no version above them, the last in the order of the space first. */
  public List<Versioned<T, V>> heads(K key) {
    return BlockingWait.toItsEnd(reads.heads(key));
  }

  /**
   * The value of a version.
   *
   * @return empty if the version is a removal
   * @throws VersioningException.UnknownVersion if there is no such version
   * @throws VersioningException.VersionCompacted if there may have been one, which compaction
   *     removed
   */
  public Optional<V> get(K key, T version) {
    return BlockingWait.toItsEnd(reads.get(key, version));
  }

  /**
   * The versions in a range, both ends included, smallest first.
   *
   * @throws IllegalArgumentException if {@code from} is after {@code to}
   */
  public List<Versioned<T, V>> getRange(K key, T from, T to) {
    return BlockingWait.toItsEnd(reads.getRange(key, from, to));
  }

  /**
   * The latest version strictly below the given one, which need not exist; empty if there is none.
   */
  public Optional<Versioned<T, V>> getPredecessor(K key, T version) {
    return BlockingWait.toItsEnd(reads.getPredecessor(key, version));
  }

  /**
   * The earliest version strictly above the given one, which need not exist; empty if there is
   * none.
   */
  public Optional<Versioned<T, V>> getSuccessor(K key, T version) {
    return BlockingWait.toItsEnd(reads.getSuccessor(key, version));
  }

  /**
   * Versions, without their values.
   *
   * @param from null for the smallest
   * @param to null for the largest; included, as {@code from}
   * @param limit the maximum number of versions
   * @param descending whether the largest are first
   */
  public List<T> versions(K key, @Nullable T from, @Nullable T to, int limit, boolean descending) {
    return BlockingWait.toItsEnd(reads.versions(key, from, to, limit, descending));
  }
}
