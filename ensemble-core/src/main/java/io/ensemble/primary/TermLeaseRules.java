package io.ensemble.primary;

import io.ensemble.lease.LeaseRules;

/**
 * How long a lease on a term holds. Clocks need not agree on anything but, nearly, the length of a
 * second. All times are monotonic nanoseconds of one process.
 *
 * <p>A lease on a term holds for {@code leaseNanos} from before the term was read or written. A
 * process that begins the next term first writes it. Then it waits longer than a lease from when it
 * saw the term written. Every lease on the term before was acquired by an earlier read, and so has
 * expired.
 */
public class TermLeaseRules extends LeaseRules {

  /**
   * @param leaseNanos how long a lease on a term holds
   * @param driftNanos by how much less the clock of another process may have advanced during a
   *     lease
   */
  public TermLeaseRules(long leaseNanos, long driftNanos) {
    super(leaseNanos, driftNanos);
  }

  /**
   * Whether a reader may return a response that came under {@code leasedTerm}, now that it is
   * there.
   */
  public boolean mayAnswer(LeasedTerm leasedTerm, long nowNanos) {
    return holds(leasedTerm, nowNanos);
  }

  /** Whether a writer may acknowledge a write under {@code leasedTerm}, now that it is done. */
  public boolean mayAcknowledge(LeasedTerm leasedTerm, long nowNanos) {
    return holds(leasedTerm, nowNanos);
  }

  /** Whether the lease of {@code leasedTerm} still holds. */
  public boolean holds(LeasedTerm leasedTerm, long nowNanos) {
    return leasedTerm.term().active() && nowNanos - leasedTerm.sinceNanos() < leaseNanos();
  }

  /**
   * Whether the recovery of all keys into an epoch may begin. The process first saw the epoch's
   * record at {@code seenNanos}, in whatever state. A term that was handed over begins while leases
   * on the one before still hold, and their holders may still recover a key into that one.
   */
  public boolean mayRecoverAll(long seenNanos, long nowNanos) {
    return hasOutwaited(seenNanos, nowNanos);
  }

  /**
   * Whether no process continues to recover a key into an epoch that was seen as recovered at
   * {@code seenNanos}: such a process would hold a lease from before that.
   */
  public boolean mayClose(long seenNanos, long nowNanos) {
    return hasOutwaited(seenNanos, nowNanos);
  }

  /** Whether a key may still be recovered under {@code leasedTerm}. */
  public boolean mayRecover(LeasedTerm leasedTerm, long nowNanos) {
    return holds(leasedTerm, nowNanos) && !leasedTerm.term().isRecovered();
  }
}
