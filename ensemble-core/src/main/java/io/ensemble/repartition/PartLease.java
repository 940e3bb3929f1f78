package io.ensemble.repartition;

import io.ensemble.lease.ConfigurationLeaseRules;

/**
 * The lease of one process on the mark in one part: that the mark is not newer holds for a lease
 * from before it was read. A process that writes a newer mark and waits that long, and the drift
 * more, can rely on the end of every such lease. Thread-safe; a query takes no lock.
 */
public final class PartLease {

  private final ConfigurationLeaseRules rules;
  private volatile ObservedMark known = new ObservedMark(GenerationMark.NONE, false, 0);

  private record ObservedMark(GenerationMark mark, boolean heard, long since) {}

  public PartLease(ConfigurationLeaseRules rules) {
    this.rules = rules;
  }

  /** The part showed this mark to a read of {@code askedNanos}. */
  public synchronized void showed(GenerationMark mark, long askedNanos, long answeredNanos) {
    ObservedMark now = known;
    long since = rules.since(askedNanos, answeredNanos);
    int newer = mark.compareTo(now.mark);
    if (!now.heard || newer > 0 || (newer == 0 && since - now.since > 0)) {
      known = new ObservedMark(mark, true, since);
    }
  }

  /** Whether users of {@code generation} may rely on the part now. */
  public boolean holds(long generation, long nowNanos) {
    ObservedMark now = known;
    return now.heard && now.mark.generation() <= generation && rules.holds(now.since, nowNanos);
  }

  /** Whether {@code generation} has ended permanently at this part. */
  public boolean isOver(long generation) {
    return known.mark.generation() > generation;
  }

  /**
   * Whether the mark is {@code own} now: no other mover has begun to wait for the end of the
   * leases.
   */
  public boolean isMarkedBy(GenerationMark own, long nowNanos) {
    ObservedMark now = known;
    return now.heard && now.mark.equals(own) && rules.holds(now.since, nowNanos);
  }

  /** Whether it is time to read the mark again. */
  public boolean isStale(long nowNanos) {
    ObservedMark now = known;
    return !now.heard || nowNanos - now.since >= rules.renewalNanos();
  }
}
