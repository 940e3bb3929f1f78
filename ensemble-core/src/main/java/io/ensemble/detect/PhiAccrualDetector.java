package io.ensemble.detect;

import io.ensemble.detect.SuspicionLevel.State;

/**
 * The suspicion of one site, after "The phi Accrual Failure Detector" (Hayashibara, Défago, Yared,
 * Katayama, 2004). The detector learns which delays are usual, where a fixed timeout would be too
 * short for a far site and too long for a near one.
 *
 * <p>The detector departs from the paper in the measured quantity. There are no heartbeats: a site
 * receives a request only when there is one to send, so a gap between two responses means nothing.
 * Instead <em>waits</em> are measured, each up to the next response to any request. A wait begins
 * at the previous response, or at the first request after it if none was in progress. While no
 * request is in progress, nothing is suspected. But a site that has left a request unanswered is
 * silent until a response comes. Any response ends a wait, even an error.
 *
 * <p>Until a few waits are known, a wait of the floor's length counts as usual. Times are in
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

  /** A request ended without any response of the site: the silence continues. */
  public synchronized void unanswered() {
    ended();
    failed = true;
  }

  /** A request never left this process: it has no meaning for the site. */
  public synchronized void unsent() {
    ended();
  }

  private void ended() {
    underWay = Math.max(0, underWay - 1);
  }

  private boolean isWaiting() {
    return underWay > 0 || failed;
  }

  /**
   * Records a wait. A suspicious wait counts only up to the length that made it suspicious;
   * otherwise a few long waits would make every wait usual.
   */
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

  /** The current suspicion of the site. */
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
   * Minus the decimal logarithm of the probability that a normal variable exceeds its mean by
   * {@code y} deviations. The method uses a logistic approximation (Bowling and others, 2009), and
   * in its tail the logarithm itself, which does not run out of digits.
   */
  private static double minusLogOfTail(double y) {
    if (y <= 0) {
      return 0;
    }
    double exponent = y * (1.5976 + 0.070566 * y * y);
    return exponent > 30 ? exponent / Math.log(10) : -Math.log10(1 / (1 + Math.exp(exponent)));
  }
}
