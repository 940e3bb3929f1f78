package io.ensemble.testkit.plot;

/** Round steps, so that axes read well. */
public final class Ticks {
  private static final double[] DIGITS = {1, 2, 5, 10};
  private static final int[] SECONDS = {1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1800};
  private static final int HOUR = 3600;

  private Ticks() {}

  /**
   * The smallest of 1, 2 and 5 times a power of ten that fits into {@code range} at most {@code
   * most} times.
   */
  public static double step(double range, int most) {
    double least = range / most;
    double power = Math.pow(10, Math.floor(Math.log10(least)));
    for (double digit : DIGITS) {
      if (digit * power >= least) {
        return digit * power;
      }
    }
    return DIGITS[DIGITS.length - 1] * power; // Unreachable by exact arithmetic.
  }

  /** As {@link #step}, but with the round numbers of seconds, minutes and hours. */
  public static double seconds(double range, int most) {
    for (int step : SECONDS) {
      if (range / step <= most) {
        return step;
      }
    }
    return HOUR * Math.ceil(range / HOUR / most);
  }
}
