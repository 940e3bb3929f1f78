package io.ensemble.rest.jetty;

import java.util.HashMap;
import java.util.Map;

/**
 * Bytes that are held for callers, bounded for all of them and for each. One thing fits however
 * large, if nothing else is held. Thread-safe.
 */
final class ByteBudget {

  private final long most;
  private final long mostOfOne;

  // Both belong to this object's lock.
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

  /** Whether so many more may be held for a caller; they are from now on, then. */
  synchronized boolean take(String caller, long bytes) {
    long held = ofEach.getOrDefault(caller, 0L);
    boolean fits = held + bytes <= mostOfOne && all + bytes <= most;
    if (bytes > 0 && !fits && all > 0) {
      return false;
    }
    force(caller, bytes);
    return true;
  }

  /** So many more are held, whatever the bounds say. */
  synchronized void force(String caller, long bytes) {
    if (bytes > 0) {
      ofEach.merge(caller, bytes, Long::sum);
      all += bytes;
    }
  }

  /** They are held no more. */
  synchronized void give(String caller, long bytes) {
    if (bytes > 0) {
      all -= bytes;
      ofEach.computeIfPresent(
          caller, (name, held) -> held == bytes ? null : Long.valueOf(held - bytes));
    }
  }

  /** How many are held. */
  synchronized long held() {
    return all;
  }
}
