package io.ensemble.testkit.link;

import java.time.Duration;

/**
 * The delay and bandwidth of the link to a site.
 *
 * @param roundTrip the delay of a byte there and back; half of it in each direction
 * @param bitsPerSecond the bandwidth in each direction; 0 for no limit
 */
public record WanProfile(Duration roundTrip, long bitsPerSecond) {

  private static final Duration LONGEST = Duration.ofSeconds(10);
  private static final long NARROWEST_BITS = 10_000;

  /** A site that is near. */
  public static final WanProfile NONE = new WanProfile(Duration.ZERO, 0);

  /**
   * @throws IllegalArgumentException if the round trip is negative or longer than 10 s, or the
   *     bandwidth is below 10 kbit/s
   */
  public WanProfile {
    if (roundTrip.isNegative() || roundTrip.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "round trip must be in [0 s, 10 s]; got " + roundTrip.toMillis() + " ms");
    }
    if (bitsPerSecond != 0 && bitsPerSecond < NARROWEST_BITS) {
      throw new IllegalArgumentException(
          "bandwidth must be at least 10 kbit/s; got " + bitsPerSecond + " bit/s");
    }
  }

  /** Whether there is nothing to emulate. */
  public boolean isNothing() {
    return roundTrip.isZero() && bitsPerSecond == 0;
  }
}
