package io.ensemble.detect;

import io.ensemble.detect.SuspicionLevel.State;

/**
 * The suspicion of one site, after "The phi Accrual Failure Detector" (Hayashibara, Défago, Yared,
 * Katayama, 2004), which learns what is usual where fixed times would be too short for a far site
 * and too long for a near one.
 *
 * <p>It departs from the paper in what it measures. There are no heartbeats: a site is asked when
 * there is something to ask, so a gap between two answers says nothing. What is measured are
 * <em>waits</em>: from an answer, or from the first request after it if none was under way, to the
 * next answer of whatever request. While nothing is asked nothing is suspected; but who has left a
 * request unanswered is silent until an answer comes. Any answer ends a wait, be it an error.
 *
 * <p>Until a few waits are known one of the floor's length is taken for usual. Times are in
 * nanoseconds on one clock. Thread-safe.
 */
public final class PhiAccrualDetector {

  private static final int ENOUGH = 5;
  private static final double MOST_DEVIATIONS = 8;

  private final PhiAccrualSettings phiAccrualSettings;
  private final double[] waits;
  private int next;
  private int known;
  private double sum;
  private double squares;

  private int underWay;
  private boolean failed;
  private long waitsSince;

  public PhiAccrualDetector(PhiAccrualSettings phiAccrualSettings) {
    this.phiAccrualSettings = phiAccrualSettings;
    this.waits = new double[phiAccrualSettings.window()];
  }

  /** A request was sent. */
  public synchronized void asked(long now) {
    if (!isWaiting()) {
      waitsSince = now;
    }
    underWay++;
  }

  /** The site has answered a request. */
  public synchronized void answered(long now) {
    if (isWaiting()) {
      remember(Math.max(0, now - waitsSince));
    }
    ended();
    failed = false;
    waitsSince = now;
  }

  /** A request ended without the site's having said anything: the silence goes on. */
  public synchronized void unanswered() {
    ended();
    failed = true;
  }

  /** A request never left this process: it says nothing about the site. */
  public synchronized void unsent() {
    ended();
  }

  private void ended() {
    underWay = Math.max(0, underWay - 1);
  }

  private boolean isWaiting() {
    return underWay > 0 || failed;
  }

  /** One that was suspicious counts for no more than would have made it so, or all would pass. */
  private void remember(long nanos) {
    double wait = Math.min(nanos, mean() + MOST_DEVIATIONS * deviation());
    if (known == waits.length) {
      double oldest = waits[next];
      sum -= oldest;
      squares -= oldest * oldest;
    } else {
      known++;
    }
    waits[next] = wait;
    next = (next + 1) % waits.length;
    sum += wait;
    squares += wait * wait;
  }

  /** What is to be thought of the site. */
  public synchronized SuspicionLevel health(long now) {
    if (!isWaiting()) {
      return SuspicionLevel.UNASKED;
    }
    long silent = Math.max(0, now - waitsSince);
    double phi = phi(silent);
    State state =
        phi < phiAccrualSettings.threshold()
            ? State.REACHABLE
            : silent < phiAccrualSettings.downAfterNanos() ? State.SUSPECTED : State.DOWN;
    return new SuspicionLevel(state, phi, silent);
  }

  private double phi(long silent) {
    return minusLogOfTail((silent - mean()) / deviation());
  }

  private double mean() {
    return known < ENOUGH ? phiAccrualSettings.floorNanos() : sum / known;
  }

  private double deviation() {
    double mean = mean();
    double variance = known < ENOUGH ? 0 : Math.max(0, squares / known - mean * mean);
    return Math.max(Math.sqrt(variance), phiAccrualSettings.floorNanos());
  }

  /**
   * Minus the decimal logarithm of the chance that a normal variable exceeds its mean by {@code y}
   * deviations; by a logistic function that is close (Bowling and others, 2009), and in its tail by
   * the logarithm itself, which does not run out of digits.
   */
  private static double minusLogOfTail(double y) {
    if (y <= 0) {
      return 0;
    }
    double exponent = y * (1.5976 + 0.070566 * y * y);
    return exponent > 30 ? exponent / Math.log(10) : -Math.log10(1 / (1 + Math.exp(exponent)));
  }
}
