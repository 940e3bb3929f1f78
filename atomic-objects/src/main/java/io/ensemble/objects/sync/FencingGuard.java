package io.ensemble.objects.sync;

/**
 * Stands before a resource and lets in no one whose grant is older than one that was in before: a
 * holder that has lost its lease and does not know it yet. Of use where the resource is in one
 * process; elsewhere the resource keeps the largest token itself, with its data. For exclusive
 * grants of one lock, or exclusive and shared ones of one read-write lock. Thread-safe.
 */
public final class FencingGuard {

  private long exclusive = Long.MIN_VALUE;
  private long shared = Long.MIN_VALUE;

  /** Whether the holder of an exclusive grant may do something now. */
  public synchronized boolean admits(long token) {
    if (token < exclusive || token < shared) {
      return false;
    }
    exclusive = token;
    return true;
  }

  /** Whether the holder of a shared grant may do something now; others may be older than it. */
  public synchronized boolean admitsShared(long token) {
    if (token < exclusive) {
      return false;
    }
    shared = Math.max(shared, token);
    return true;
  }
}
