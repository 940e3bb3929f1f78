package io.ensemble.versioning;

import io.ensemble.objects.runtime.BlockingWait;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What is read of a versioned cache: as of now, or {@linkplain VersionedCache#sequential somewhat
 * older}. Thread-safe.
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

  /** The latest version; of several that no other is above, the last in the space's order. */
  public Optional<Versioned<T, V>> latest(K key) {
    return BlockingWait.toItsEnd(reads.latest(key));
  }

  /** All versions that no other is above, the last in the space's order first. */
  public List<Versioned<T, V>> maximal(K key) {
    return BlockingWait.toItsEnd(reads.maximal(key));
  }

  /**
   * The value of a version.
   *
   * @return empty if the key was removed with it
   * @throws VersioningException.UnknownVersion if there is no such version
   * @throws VersioningException.VersionCompacted if there may have been one, which compaction took
   */
  public Optional<V> get(K key, T version) {
    return BlockingWait.toItsEnd(reads.get(key, version));
  }

  /**
   * The versions from one to another, both included, smallest first.
   *
   * @throws IllegalArgumentException if {@code from} comes after {@code to}
   */
  public List<Versioned<T, V>> getRange(K key, T from, T to) {
    return BlockingWait.toItsEnd(reads.getRange(key, from, to));
  }

  /** The latest version strictly below one, which need not be there; empty if there is none. */
  public Optional<Versioned<T, V>> getPredecessor(K key, T version) {
    return BlockingWait.toItsEnd(reads.getPredecessor(key, version));
  }

  /** The earliest version strictly above one, which need not be there; empty if there is none. */
  public Optional<Versioned<T, V>> getSuccessor(K key, T version) {
    return BlockingWait.toItsEnd(reads.getSuccessor(key, version));
  }

  /**
   * Versions, without their values.
   *
   * @param from null for the smallest
   * @param to null for the largest; included, as {@code from}
   * @param limit how many at most
   * @param descending the largest first
   */
  public List<T> versions(K key, @Nullable T from, @Nullable T to, int limit, boolean descending) {
    return BlockingWait.toItsEnd(reads.versions(key, from, to, limit, descending));
  }
}
