package io.ensemble.versioning;

import io.ensemble.objects.runtime.BlockingWait;
import java.time.Instant;
import java.util.Iterator;
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
   * The versions that were made in a range of time, both ends included, smallest first. A time is
   * taken to the millisecond. A version that another process adds late, with a time in the range,
   * is part of later results only. Costs as {@link #getRange}; retrying is safe.
   *
   * @throws IllegalArgumentException if {@code from} is after {@code to}
   * @throws UnsupportedOperationException if versions have no time
   */
  public List<Versioned<T, V>> getBetween(K key, Instant from, Instant to) {
    return BlockingWait.toItsEnd(reads.getBetween(key, from, to));
  }

  /**
   * The version that the key had at a time: the latest one at or before it, taken to the
   * millisecond. Changes nothing, unlike {@link VersionedCache#asOf}: a version that another
   * process adds late, with a time at or before {@code time}, changes later results. Costs one read
   * as {@link #getPredecessor}, and another one if compaction removed the version; retrying is
   * safe.
   *
   * @return the version, or the reason why there is none; with the oldest version that is kept if
   *     compaction or retention removed the version of that time
   * @throws UnsupportedOperationException if versions have no time
   */
  public AsOfResult<T, V> getAsOf(K key, Instant time) {
    return BlockingWait.toItsEnd(reads.getAsOf(key, time));
  }

  /**
   * As {@link #getAsOf}, by a version: the latest one at or below it, which need not exist. With
   * versions that are not totally ordered, the last one in the order of the space.
   */
  public AsOfResult<T, V> getAtOrBelow(K key, T version) {
    return BlockingWait.toItsEnd(reads.getAtOrBelow(key, version));
  }

  /**
   * The largest version that can have been made at a time or before. So each operation by version
   * is one by time, too: {@code cache.at(cache.versionAt(time))}. Makes no request.
   *
   * @throws UnsupportedOperationException if versions have no time
   */
  public T versionAt(Instant time) {
    return reads.versionAt(time);
  }

  /**
   * A page of the versions in a range, both ends included, smallest first. Holds one page in
   * memory, however long the range is. Each page is of the moment at which it is read: it contains
   * versions added since the page before, and not those that compaction has removed since. Costs as
   * {@link #getRange} with so many versions; retrying is safe.
   *
   * @param limit the maximum number of versions
   * @param cursor of the page before; null for the first page
   * @throws IllegalArgumentException if {@code from} is after {@code to}, or the limit is below 1
   * @throws UnsupportedOperationException if versions are not totally ordered
   */
  public VersionPage<T, V> getRangePage(K key, T from, T to, int limit, @Nullable T cursor) {
    return BlockingWait.toItsEnd(reads.getRangePage(key, from, to, limit, cursor));
  }

  /**
   * Iterates over the versions in a range, page by page as {@link #getRangePage}; reads the first
   * page when it is asked for. The iterator needs not be closed. If a read fails, {@code hasNext}
   * throws; called again, it repeats the read from the same position. For one thread at a time.
   *
   * @param pageVersions the number of versions that are read, and held in memory, at a time
   */
  public Iterator<Versioned<T, V>> iterateRange(K key, T from, T to, int pageVersions) {
    reads.checkTotalOrder("a range in pages");
    reads.checkRange(from, to);
    return new RangeIterator<>(
        cursor -> getRangePage(key, from, to, pageVersions, cursor), pageVersions);
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
