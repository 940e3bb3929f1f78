package io.ensemble.rest.jetty;

import java.util.HashMap;
import java.util.Map;

/**
 * Counts the bytes held for callers, and bounds them for all callers together and for each. If no
 * other bytes are held, an amount of any size fits. Thread-safe.
 */
final class ByteBudget {

  private final long maxBytes;
  private final long maxBytesPerCaller;

  // Both fields are guarded by this object's lock.
  private final Map<String, Long> bytesByCaller = new HashMap<>();
  private long totalBytes;

  ByteBudget(long maxBytes, long maxBytesPerCaller) {
    this.maxBytes = maxBytes;
    this.maxBytesPerCaller = maxBytesPerCaller;
  }

  long maxBytes() {
    return maxBytes;
  }

  long maxBytesPerCaller() {
    return maxBytesPerCaller;
  }

  /** Reserves bytes for a caller, and returns whether the bounds allow it. */
  synchronized boolean tryReserve(String caller, long bytes) {
    long callerBytes = bytesByCaller.getOrDefault(caller, 0L);
    boolean fits = callerBytes + bytes <= maxBytesPerCaller && totalBytes + bytes <= maxBytes;
    if (bytes > 0 && !fits && totalBytes > 0) {
      return false;
    }
    reserve(caller, bytes);
    return true;
  }

  /** Reserves bytes for a caller regardless of the bounds. */
  synchronized void reserve(String caller, long bytes) {
    if (bytes > 0) {
      bytesByCaller.merge(caller, bytes, Long::sum);
      totalBytes += bytes;
    }
  }

  /** Releases reserved bytes. */
  synchronized void release(String caller, long bytes) {
    if (bytes > 0) {
      totalBytes -= bytes;
      bytesByCaller.computeIfPresent(
          caller,
          (name, callerBytes) -> callerBytes == bytes ? null : Long.valueOf(callerBytes - bytes));
    }
  }

  /** The number of reserved bytes. */
  synchronized long reservedBytes() {
    return totalBytes;
  }
}
