package io.ensemble.benchmarks.store;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Records under string keys. Every call blocks, and throws when it fails or its outcome is unknown.
 * Thread-safe.
 */
public interface RecordStore extends AutoCloseable {

  /** A record and its key. */
  record Entry(String key, byte[] value) {}

  /** The record; null when there is none. One read. */
  byte @Nullable [] read(String key);

  /** Writes a record, new or not. One put. */
  void insert(String key, byte[] record);

  /**
   * Merges fields into a record. SWMR and MWMR: one conditional operation, atomic. Otherwise a read
   * and a put, as in usual bindings; between these another client's merge is lost.
   *
   * @return false when there is no such record; the call had no effect
   */
  boolean update(String key, Map<String, byte[]> changes);

  /** Removes a record. One put. */
  void delete(String key);

  /**
   * The {@code count} smallest keys not below {@code start}, in order, with their records. The
   * stores are unordered, so this iterates over the whole cache and transfers all of it to the
   * client, whatever the count. It holds no more than {@code count} records and a batch in memory.
   * Not atomic.
   */
  List<Entry> scan(String start, int count);

  /** The number of repeated WEAK reads; 0 in the other modes. */
  default long rereads() {
    return 0;
  }

  /** Deletes the cache with its content. */
  void drop();

  /** Closes the client; the cache stays. */
  @Override
  void close();
}
