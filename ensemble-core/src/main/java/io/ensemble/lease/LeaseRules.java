package io.ensemble.lease;

/**
 * How long a lease lasts, and how long a process waits that has to outlast the leases of others.
 * Clocks need not agree on anything but, nearly, the length of a second. All times are monotonic
 * nanoseconds of one process. Immutable.
 */
public abstract class LeaseRules {

  private final long leaseNanos;
  private final long driftNanos;

  /**
   * @param leaseNanos how long a lease lasts
   * @param driftNanos by how much less the clock of another process may have advanced during a
   *     lease
   */
  protected LeaseRules(long leaseNanos, long driftNanos) {
    if (leaseNanos < 1 || driftNanos < 0) {
      throw new IllegalArgumentException(
          "lease must be positive, drift must not be negative; lease=%d drift=%d"
              .formatted(leaseNanos, driftNanos));
    }
    this.leaseNanos = leaseNanos;
    this.driftNanos = driftNanos;
  }

  /**
   * Whether all leases of others have expired for a process that had recorded, or seen, their end
   * at {@code sinceNanos}.
   */
  public boolean hasOutwaited(long sinceNanos, long nowNanos) {
    return nowNanos - sinceNanos >= outwaitNanos();
  }

  /** How long a process waits until all leases of others have expired. */
  public long outwaitNanos() {
    return leaseNanos + driftNanos;
  }

  /** How long a lease lasts. */
  public long leaseNanos() {
    return leaseNanos;
  }

  /** The interval at which a lease in use is renewed. */
  public long renewalNanos() {
    return Math.max(1, leaseNanos / 3);
  }
}
