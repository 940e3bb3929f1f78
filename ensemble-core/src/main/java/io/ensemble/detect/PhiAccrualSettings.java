package io.ensemble.detect;

/**
 * When silence is suspicious.
 *
 * @param window how many waits are remembered
 * @param floorNanos the least assumed deviation of the waits from their mean, so that pauses of
 *     this process are not attributed to the site
 * @param threshold the phi from which a site is suspected
 * @param downAfterNanos how long a site is silent before it counts as down
 */
public record PhiAccrualSettings(
    int window, long floorNanos, double threshold, long downAfterNanos) {

  /** 100 waits, 100 ms, a chance of 1 in 10^8, and 30 s. */
  public static final PhiAccrualSettings STANDARD =
      new PhiAccrualSettings(100, 100_000_000L, 8, 30_000_000_000L);

  public PhiAccrualSettings {
    if (window < 1 || floorNanos < 1 || threshold <= 0 || downAfterNanos < 1) {
      throw new IllegalArgumentException(
          "failure detector settings must be positive; window=%d floor=%d phi=%f down=%d"
              .formatted(window, floorNanos, threshold, downAfterNanos));
    }
  }
}
