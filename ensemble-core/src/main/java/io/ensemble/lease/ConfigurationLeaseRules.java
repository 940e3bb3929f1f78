package io.ensemble.lease;

/**
 * How long a response of a site that its configuration has not ended remains valid. Clocks need not
 * agree on anything but, nearly, the length of a second. All times are monotonic nanoseconds of one
 * process. Immutable.
 *
 * <p>Why it is safe: a process that holds a lease sent its request before the end mark was written,
 * or it would have found the mark. So one lease after the mark, every such lease has expired. On
 * the clock of the process that wrote the mark, the drift is added.
 */
public class ConfigurationLeaseRules extends LeaseRules {

  /** A lease of 2 s, and a tenth of it for clock drift. */
  public static final ConfigurationLeaseRules STANDARD =
      new ConfigurationLeaseRules(2_000_000_000L, 200_000_000L);

  /**
   * @param leaseNanos how long a response is valid, counted from before its request was sent
   * @param driftNanos by how much less the clock of another process may have advanced during a
   *     lease
   */
  public ConfigurationLeaseRules(long leaseNanos, long driftNanos) {
    super(leaseNanos, driftNanos);
  }

  /** Whether a lease requested at {@code askedNanos} still holds. */
  public boolean holds(long askedNanos, long nowNanos) {
    return nowNanos - askedNanos < leaseNanos();
  }

  /** The time from which a lease counts: that of its request, never of its response. */
  public long since(long askedNanos, long answeredNanos) {
    return askedNanos;
  }

  /** Whether a call may begin, so that the lease will probably hold for its response. */
  public boolean mayBegin(ConfigurationLease trust, long nowNanos) {
    return trust.holds(nowNanos);
  }

  /** Whether a response may be returned now that it is there. */
  public boolean mayAnswer(ConfigurationLease trust, long nowNanos) {
    return trust.holds(nowNanos);
  }
}
