package io.ensemble.cache.swmr;

import io.ensemble.primary.TermLeaseRules;

/**
 * How long a primary has been silent, as probes of it tell, which have a time of their own: that a
 * call was impatient, or found too much under way here, says nothing about a site. Probes are sent
 * one at a time, a third of a lease apart. Thread-safe.
 */
final class PrimaryFailureDetector {

  private static final int FEWEST_PROBES = 2;

  private final TermLeaseRules termLeaseRules;

  // All below belongs to this object's lock.
  private boolean underWay;
  private boolean everSent;
  private long sentNanos;
  private long epoch;
  private int failures;
  private long sinceNanos;
  private long lastNanos;

  PrimaryFailureDetector(TermLeaseRules termLeaseRules) {
    this.termLeaseRules = termLeaseRules;
  }

  /** Whether a probe may be sent now; if so it must be followed by what became of it. */
  synchronized boolean startsProbe(long nowNanos) {
    if (underWay || (everSent && nowNanos - sentNanos < termLeaseRules.renewalNanos())) {
      return false;
    }
    underWay = true;
    everSent = true;
    sentNanos = nowNanos;
    return true;
  }

  /** The probe was not sent: that says nothing. */
  synchronized void learntNothing() {
    underWay = false;
  }

  /** The probe was answered. */
  synchronized void answered(long inEpoch) {
    underWay = false;
    broken(inEpoch);
  }

  /** Something else than a probe was answered. */
  synchronized void broken(long inEpoch) {
    if (inEpoch >= epoch) {
      failures = 0;
    }
  }

  /**
   * The probe was not answered. Whether all were not for a lease; failures that nothing followed
   * for two leases are forgotten.
   */
  synchronized boolean failed(long inEpoch, long nowNanos) {
    underWay = false;
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
