package io.ensemble.rest.jetty;

import java.util.HashMap;
import java.util.Map;

/**
 * Counts the bytes held for callers, and bounds them for all callers together and for each. If no
 * other bytes are held, an amount of any size fits. Thread-safe.
 */
final class ByteBudget {

  private final long most;
  private final long mostOfOne;

  // Both fields are guarded by this object's lock.
  private final Map<String, Long> ofEach = new HashMap<>();
  private long all;

  ByteBudget(long most, long mostOfOne) {
    this.most = most;
    this.mostOfOne = mostOfOne;
  }

  long most() {
    return most;
  }

  long mostOfOne() {
    return mostOfOne;
  }

  /** Reserves bytes for a caller, and returns whether the bounds allow it. */
  synchronized boolean take(String caller, long bytes) {
    long held = ofEach.getOrDefault(caller, 0L);
    boolean fits = held + bytes <= mostOfOne && all + bytes <= most;
    if (bytes > 0 && !fits && all > 0) {
      return false;
    }
    force(caller, bytes);
    return true;
  }

  /** Reserves bytes for a caller regardless of the bounds. */
  synchronized void force(String caller, long bytes) {
    if (bytes > 0) {
      ofEach.merge(caller, bytes, Long::sum);
      all += bytes;
    }
  }

  /** Releases reserved bytes. */
  synchronized void give(String caller, long bytes) {
    if (bytes > 0) {
      all -= bytes;
      ofEach.computeIfPresent(
          caller, (name, held) -> held == bytes ? null : Long.valueOf(held - bytes));
    }
  }

  /** The number of reserved bytes. */
  synchronized long held() {
    return all;
  }
}
