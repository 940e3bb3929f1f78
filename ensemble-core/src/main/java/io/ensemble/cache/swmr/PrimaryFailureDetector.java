package io.ensemble.cache.swmr;

import io.ensemble.primary.TermLeaseRules;

/**
 * How long a primary has been silent, measured by probes with their own time limit. A call with a
 * short deadline, or one rejected here because too many requests are under way, does not show that
 * a site is silent. Probes are sent one at a time, a third of a lease apart. Thread-safe.
 */
final class PrimaryFailureDetector {

  private static final int FEWEST_PROBES = 2;

  private final TermLeaseRules termLeaseRules;

  // The fields below are guarded by this object's lock.
  private boolean isProbing;
  private boolean hasSent;
  private long sentNanos;
  private long epoch;
  private int failures;
  private long sinceNanos;
  private long lastNanos;

  PrimaryFailureDetector(TermLeaseRules termLeaseRules) {
    this.termLeaseRules = termLeaseRules;
  }

  /** Whether a probe may be sent now; if so, the caller must report its result. */
  synchronized boolean startProbe(long nowNanos) {
    if (isProbing || (hasSent && nowNanos - sentNanos < termLeaseRules.renewalNanos())) {
      return false;
    }
    isProbing = true;
    hasSent = true;
    sentNanos = nowNanos;
    return true;
  }

  /** Records that the probe was not sent, and so shows nothing. */
  synchronized void recordNoResult() {
    isProbing = false;
  }

  /** Records a response to the probe. */
  synchronized void recordSuccess(long inEpoch) {
    isProbing = false;
    resetFailures(inEpoch);
  }

  /** Records a response to another request. */
  synchronized void resetFailures(long inEpoch) {
    if (inEpoch >= epoch) {
      failures = 0;
    }
  }

  /**
   * Records that the probe was not answered. Returns whether no probe was answered for a lease. If
   * no probe follows a failure for two leases, the earlier failures no longer count.
   */
  synchronized boolean recordFailure(long inEpoch, long nowNanos) {
    isProbing = false;
    if (inEpoch != epoch
        || failures == 0
        || sentNanos - lastNanos > 2 * termLeaseRules.leaseNanos()) {
      epoch = inEpoch;
      failures = 0;
      sinceNanos = sentNanos;
    }
    failures++;
    lastNanos = sentNanos;
    return failures >= FEWEST_PROBES && nowNanos - sinceNanos >= termLeaseRules.leaseNanos();
  }
}
