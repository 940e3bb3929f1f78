package io.ensemble.detect;

/**
 * When silence is suspicious.
 *
 * @param window how many waits are remembered
 * @param floorNanos the least that waits are taken to deviate from their mean by: pauses of one's
 *     own are no fault of the site
 * @param threshold the phi from which a site is suspected
 * @param downAfterNanos how long it is silent before it counts as down
 */
public record PhiAccrualSettings(
    int window, long floorNanos, double threshold, long downAfterNanos) {

  /** 100 waits, 100 ms, one in 10^8, half a minute. */
  public static final PhiAccrualSettings STANDARD =
      new PhiAccrualSettings(100, 100_000_000L, 8, 30_000_000_000L);

  public PhiAccrualSettings {
    if (window < 1 || floorNanos < 1 || threshold <= 0 || downAfterNanos < 1) {
      throw new IllegalArgumentException(
          "rules want a window, a floor, a threshold and a time; window=%d floor=%d phi=%f down=%d"
              .formatted(window, floorNanos, threshold, downAfterNanos));
    }
  }
}
