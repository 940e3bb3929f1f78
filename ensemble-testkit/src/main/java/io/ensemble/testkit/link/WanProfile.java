package io.ensemble.testkit.link;

import java.time.Duration;

/**
 * How far and how wide the way to a site is.
 *
 * @param roundTrip how long a byte takes there and back; half of it each way
 * @param bitsPerSecond how much it carries in each direction; 0 for as much as comes
 */
public record WanProfile(Duration roundTrip, long bitsPerSecond) {

  private static final Duration LONGEST = Duration.ofSeconds(10);
  private static final long NARROWEST_BITS = 10_000;

  /** A site that is near. */
  public static final WanProfile NONE = new WanProfile(Duration.ZERO, 0);

  /**
   * @throws IllegalArgumentException if it is shorter than nothing, longer than ten seconds, or
   *     narrower than 10 kbit/s
   */
  public WanProfile {
    if (roundTrip.isNegative() || roundTrip.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "a round trip wants 0 to 10 s; got " + roundTrip.toMillis() + " ms");
    }
    if (bitsPerSecond != 0 && bitsPerSecond < NARROWEST_BITS) {
      throw new IllegalArgumentException(
          "a bandwidth wants 10 kbit/s or more; got " + bitsPerSecond + " bit/s");
    }
  }

  /** Whether there is nothing to emulate. */
  public boolean isNothing() {
    return roundTrip.isZero() && bitsPerSecond == 0;
  }
}
