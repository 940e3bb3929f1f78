package io.ensemble.repartition;

import io.ensemble.lease.LeaseRules;

/**
 * What one process knows of the mark in one part. That a mark is not newer is trusted for a lease
 * from before it was read: who puts a newer one and waits that long, and the drift more, knows that
 * nobody trusts it any more. Thread-safe; asking takes no lock.
 */
public final class PartLease {

  private final LeaseRules rules;
  private volatile Known known = new Known(GenerationMark.NONE, false, 0);

  private record Known(GenerationMark mark, boolean heard, long since) {}

  public PartLease(LeaseRules rules) {
    this.rules = rules;
  }

  /** The part showed this mark to a read of {@code askedNanos}. */
  public synchronized void showed(GenerationMark mark, long askedNanos, long answeredNanos) {
    Known now = known;
    long since = rules.since(askedNanos, answeredNanos);
    int newer = mark.compareTo(now.mark);
    if (!now.heard || newer > 0 || (newer == 0 && since - now.since > 0)) {
      known = new Known(mark, true, since);
    }
  }

  /** Whether users of {@code generation} may rely on the part now. */
  public boolean holds(long generation, long nowNanos) {
    Known now = known;
    return now.heard && now.mark.generation() <= generation && rules.holds(now.since, nowNanos);
  }

  /** Whether {@code generation} is over at this part for good. */
  public boolean isOver(long generation) {
    return known.mark.generation() > generation;
  }

  /** Whether the mark is {@code own} now: no other mover has begun to outwait. */
  public boolean isMarkedBy(GenerationMark own, long nowNanos) {
    Known now = known;
    return now.heard && now.mark.equals(own) && rules.holds(now.since, nowNanos);
  }

  /** Whether it is time to read the mark again. */
  public boolean isStale(long nowNanos) {
    Known now = known;
    return !now.heard || nowNanos - now.since >= rules.renewalNanos();
  }
}
