package io.ensemble.primary;

/**
 * How long a term may be trusted, on clocks that agree about nothing but, nearly, the length of a
 * second. All times are one process's own monotonic nanoseconds.
 *
 * <p>A term is trusted for {@code leaseNanos} from before it was read or written. Whoever wants to
 * begin the next one first writes it down, and then waits longer than that from after it saw it
 * written: what was trusted before was read before, and so is trusted by nobody.
 */
public class TermLeaseRules {

  private final long leaseNanos;
  private final long driftNanos;

  /**
   * @param leaseNanos how long a term is trusted
   * @param driftNanos by how much less another's clock may have counted meanwhile
   */
  public TermLeaseRules(long leaseNanos, long driftNanos) {
    if (leaseNanos < 1 || driftNanos < 0) {
      throw new IllegalArgumentException(
          "a lease is positive, a drift not negative; lease=%d drift=%d"
              .formatted(leaseNanos, driftNanos));
    }
    this.leaseNanos = leaseNanos;
    this.driftNanos = driftNanos;
  }

  /**
   * Whether a reader may give an answer that came under {@code leasedTerm}, now that it is there.
   */
  public boolean mayAnswer(LeasedTerm leasedTerm, long nowNanos) {
    return holds(leasedTerm, nowNanos);
  }

  /** Whether a writer may acknowledge what it did under {@code leasedTerm}, now that it is done. */
  public boolean mayAcknowledge(LeasedTerm leasedTerm, long nowNanos) {
    return holds(leasedTerm, nowNanos);
  }

  /** Whether {@code leasedTerm} is still good. */
  public boolean holds(LeasedTerm leasedTerm, long nowNanos) {
    return leasedTerm.term().active() && nowNanos - leasedTerm.sinceNanos() < leaseNanos;
  }

  /** Whether who saw a record at {@code seenNanos} has outwaited all who trusted the one before. */
  public boolean hasOutwaited(long seenNanos, long nowNanos) {
    return nowNanos - seenNanos >= leaseNanos + driftNanos;
  }

  /**
   * Whether recovering all keys into an epoch, whose record was first seen at {@code seenNanos} and
   * in whatever state, may begin: a term that was handed over begins while the one before is still
   * trusted, and who trusts that may yet recover a key into it.
   */
  public boolean mayRecoverAll(long seenNanos, long nowNanos) {
    return hasOutwaited(seenNanos, nowNanos);
  }

  /**
   * Whether nobody goes on with recovering a key into an epoch of which it was seen at {@code
   * seenNanos} that all its keys are recovered: who does trusts a record from before that.
   */
  public boolean mayClose(long seenNanos, long nowNanos) {
    return hasOutwaited(seenNanos, nowNanos);
  }

  /** Whether a key may still be recovered under {@code leasedTerm}. */
  public boolean mayRecover(LeasedTerm leasedTerm, long nowNanos) {
    return holds(leasedTerm, nowNanos) && !leasedTerm.term().isRecovered();
  }

  /** How long a term is trusted. */
  public long leaseNanos() {
    return leaseNanos;
  }

  /** How often a lease is renewed. */
  public long renewalNanos() {
    return Math.max(1, leaseNanos / 3);
  }

  /** How long whoever takes over waits. */
  public long outwaitNanos() {
    return leaseNanos + driftNanos;
  }
}
