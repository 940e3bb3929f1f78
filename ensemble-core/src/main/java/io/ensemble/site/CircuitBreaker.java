package io.ensemble.site;

import io.ensemble.detect.PhiAccrualDetector;
import io.ensemble.detect.SuspicionLevel;
import io.ensemble.site.SiteException.Reason;

/**
 * Decides from the outcomes of requests whether a site is available. After a number of requests in
 * a row without a response, the site is suspected. Then only probes are sent, at doubling
 * intervals, until the site answers one. An error that the site sent is a response. In addition,
 * the breaker maintains the site's {@link PhiAccrualDetector}, which has no influence on requests.
 * Times are in nanoseconds on the scheduler's clock. The window's lock guards the breaker; the
 * detector has a lock of its own.
 */
final class CircuitBreaker {

  static final int FAILURES_TO_SUSPECT = 8;
  static final long FIRST_PAUSE_NANOS = 200_000_000L;
  static final long LONGEST_PAUSE_NANOS = 2_000_000_000L;

  /**
   * After this time a probe without any outcome counts as lost, so that the site can be probed
   * again.
   */
  static final long PROBE_TIMEOUT_NANOS = 10_000_000_000L;

  private final PhiAccrualDetector phiAccrualDetector;
  private int failures;
  private boolean suspected;
  private long suspectedAt;
  private long pause;
  private long nextProbe;

  /**
   * @param phiAccrualDetector the detector of the site, which breakers of its nodes may share
   */
  CircuitBreaker(PhiAccrualDetector phiAccrualDetector) {
    this.phiAccrualDetector = phiAccrualDetector;
  }

  boolean isSuspected() {
    return suspected;
  }

  /** Whether a request may be sent now as a probe; if so, an outcome must follow. */
  boolean startsProbe(long now) {
    if (!suspected || now - nextProbe < 0) {
      return false;
    }
    nextProbe = now + PROBE_TIMEOUT_NANOS;
    return true;
  }

  /** The current suspicion of the site. */
  SuspicionLevel health(long now) {
    return phiAccrualDetector.health(now);
  }

  /** Records that a request is sent, which is followed by one of the outcomes below. */
  void asked(long now) {
    phiAccrualDetector.asked(now);
  }

  /** Records that no response to a request will come. */
  void lost() {
    phiAccrualDetector.unanswered();
  }

  /** Records that a request has not left this process. */
  void notSent(boolean probe, long now) {
    phiAccrualDetector.unsent();
    learntNothing(probe, now);
  }

  /** Records a response. True when that ends a suspicion. */
  boolean answered(long now) {
    phiAccrualDetector.answered(now);
    boolean ends = suspected;
    failures = 0;
    suspected = false;
    return ends;
  }

  /** Records that a request received no response. True when that starts a suspicion. */
  boolean unanswered(boolean probe, long now) {
    phiAccrualDetector.unanswered();
    failures++;
    if (suspected) {
      learntNothing(probe, now);
      return false;
    }
    if (failures < FAILURES_TO_SUSPECT) {
      return false;
    }
    suspected = true;
    suspectedAt = now;
    pause = FIRST_PAUSE_NANOS;
    nextProbe = now + pause;
    return true;
  }

  /**
   * Records that a request was no evidence: it was not sent, or was sent long before the suspicion.
   * Only probes change the time of the next probe.
   */
  private void learntNothing(boolean probe, long now) {
    if (probe) {
      pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
      nextProbe = now + pause;
    }
  }

  /** The reason why no request is sent, for messages. */
  String describe(long now) {
    return "not sent, site suspected for %d ms, next probe in %d ms at the latest"
        .formatted(millis(now - suspectedAt), millis(nextProbe - now));
  }

  /**
   * Whether a failure originated in this process, without a response or a silence of the site. A
   * request that was held back because of another request's response counts as answered.
   */
  static boolean isMadeHere(SiteException failure) {
    if (isUnanswered(failure.reason())) {
      return false;
    }
    SiteException why = failure;
    while (why.isNotSent() && why.getCause() instanceof SiteException of) {
      why = of;
    }
    return why.isNotSent();
  }

  static boolean isUnanswered(Reason reason) {
    return reason == Reason.UNREACHABLE || reason == Reason.TIMED_OUT;
  }

  private static long millis(long nanos) {
    return Math.max(0, nanos / 1_000_000);
  }
}
