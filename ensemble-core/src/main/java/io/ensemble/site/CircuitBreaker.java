package io.ensemble.site;

import io.ensemble.detect.PhiAccrualDetector;
import io.ensemble.detect.SuspicionLevel;
import io.ensemble.site.SiteException.Reason;

/**
 * Judges from what became of requests whether a site is there. So many failures in a row to get an
 * answer make it suspected; then only a probe now and then goes out, at doubling distances, until
 * something is answered. An error that the site sent is an answer. Beside that it keeps the site's
 * {@link PhiAccrualDetector}, which has no say in what is sent. Times are in nanoseconds on the
 * scheduler's clock. The window's lock guards it; the suspicion has a lock of its own.
 */
final class CircuitBreaker {

  static final int FAILURES_TO_SUSPECT = 8;
  static final long FIRST_PAUSE_NANOS = 200_000_000L;
  static final long LONGEST_PAUSE_NANOS = 2_000_000_000L;

  /** A site that loses a probe altogether must not be lost with it. */
  static final long PROBE_GIVEN_UP_NANOS = 10_000_000_000L;

  private final PhiAccrualDetector phiAccrualDetector;
  private int failures;
  private boolean suspected;
  private long suspectedAt;
  private long pause;
  private long nextProbe;

  /**
   * @param phiAccrualDetector of the site, which breakers of its nodes may share
   */
  CircuitBreaker(PhiAccrualDetector phiAccrualDetector) {
    this.phiAccrualDetector = phiAccrualDetector;
  }

  boolean isSuspected() {
    return suspected;
  }

  /** Whether a request may go out now as a probe; if so it must be followed by an outcome. */
  boolean startsProbe(long now) {
    if (!suspected || now - nextProbe < 0) {
      return false;
    }
    nextProbe = now + PROBE_GIVEN_UP_NANOS;
    return true;
  }

  /** What is to be thought of the site. */
  SuspicionLevel health(long now) {
    return phiAccrualDetector.health(now);
  }

  /** Records that a request goes out, which is followed by one of the outcomes below. */
  void asked(long now) {
    phiAccrualDetector.asked(now);
  }

  /** Records that nothing will be heard of a request. */
  void lost() {
    phiAccrualDetector.unanswered();
  }

  /** Records that a request has not left this process. */
  void notSent(boolean probe, long now) {
    phiAccrualDetector.unsent();
    learntNothing(probe, now);
  }

  /** Records an answer. True when that ends a suspicion. */
  boolean answered(long now) {
    phiAccrualDetector.answered(now);
    boolean ends = suspected;
    failures = 0;
    suspected = false;
    return ends;
  }

  /** Records that a request stayed without an answer. True when that starts a suspicion. */
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
   * Records that a request was no evidence: it was not sent, or long before the suspicion. Only
   * probes move the next one.
   */
  private void learntNothing(boolean probe, long now) {
    if (probe) {
      pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
      nextProbe = now + pause;
    }
  }

  /** Why nothing is sent, for messages. */
  String describe(long now) {
    return "not sent, site suspected for %d ms, next probe in %d ms at the latest"
        .formatted(millis(now - suspectedAt), millis(nextProbe - now));
  }

  /**
   * Whether a failure was made in this process without the site's having said or kept back
   * anything. A request that was kept back because of another's answer was answered too.
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
