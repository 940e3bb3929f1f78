package io.ensemble.lease;

/**
 * How long a site's word that a configuration has not ended is good, on clocks that agree about
 * nothing but, nearly, the length of a second. All times are one process's own monotonic
 * nanoseconds. Immutable.
 *
 * <p>Why it is safe: what a process trusts it asked for before the end was put, or it would have
 * found it; so by a lease after the end all such trust is over, and by the drift more on the clock
 * of whoever put it.
 */
public class LeaseRules {

  /** Two seconds, and a tenth of it for clocks that run apart. */
  public static final LeaseRules STANDARD = new LeaseRules(2_000_000_000L, 200_000_000L);

  private final long leaseNanos;
  private final long driftNanos;

  /**
   * @param leaseNanos how long a site's word is good from before it was asked
   * @param driftNanos by how much less another's clock may have counted meanwhile
   */
  public LeaseRules(long leaseNanos, long driftNanos) {
    if (leaseNanos < 1 || driftNanos < 0) {
      throw new IllegalArgumentException(
          "a lease is positive, a drift not negative; lease=%d drift=%d"
              .formatted(leaseNanos, driftNanos));
    }
    this.leaseNanos = leaseNanos;
    this.driftNanos = driftNanos;
  }

  /** Whether what was asked at {@code askedNanos} is still good. */
  public boolean holds(long askedNanos, long nowNanos) {
    return nowNanos - askedNanos < leaseNanos;
  }

  /** From when on the word of an answer counts; before its question, never after. */
  public long since(long askedNanos, long answeredNanos) {
    return askedNanos;
  }

  /** Whether a call may begin, so that its answer will probably still be good. */
  public boolean mayBegin(ConfigurationLease trust, long nowNanos) {
    return trust.holds(nowNanos);
  }

  /** Whether an answer may be given, now that it is there. */
  public boolean mayAnswer(ConfigurationLease trust, long nowNanos) {
    return trust.holds(nowNanos);
  }

  /** Whether who knew at {@code endedNanos} of enough ends has outwaited all trust. */
  public boolean hasOutwaited(long endedNanos, long nowNanos) {
    return nowNanos - endedNanos >= outwaitNanos();
  }

  /** How long whoever ends a configuration waits. */
  public long outwaitNanos() {
    return leaseNanos + driftNanos;
  }

  /** How long a site's word is good. */
  public long leaseNanos() {
    return leaseNanos;
  }

  /** How often trust is renewed while it is used. */
  public long renewalNanos() {
    return Math.max(1, leaseNanos / 3);
  }
}
