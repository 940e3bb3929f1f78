package io.ensemble.objects.sync;

/**
 * Protects a resource: rejects grants that are older than one already admitted, that is, holders
 * that have lost their lease and have not detected this yet. Useful if the resource is in one
 * process; otherwise the resource itself stores the largest token with its data. For exclusive
 * grants of one lock, or exclusive and shared grants of one read-write lock. Thread-safe.
 */
public final class FencingGuard {

  private long exclusive = Long.MIN_VALUE;
  private long shared = Long.MIN_VALUE;

  /** Whether the holder of an exclusive grant may use the resource now. */
  public synchronized boolean admits(long token) {
    if (token < exclusive || token < shared) {
      return false;
    }
    exclusive = token;
    return true;
  }

  /**
   * Whether the holder of a shared grant may use the resource now; other shared grants may be
   * newer.
   */
  public synchronized boolean admitsShared(long token) {
    if (token < exclusive) {
      return false;
    }
    shared = Math.max(shared, token);
    return true;
  }
}
