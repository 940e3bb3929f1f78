package io.ensemble.testkit.wan;

import java.time.Duration;

/**
 * The network between two hosts, the same in both directions.
 *
 * @param roundTrip the delay of a packet and its answer; half of it in each direction
 * @param bitsPerSecond the bandwidth in each direction, including IP headers; 0 for no limit
 * @param loss the share of the packets lost in each direction, 0.01 for 1 %
 */
public record PathProfile(Duration roundTrip, long bitsPerSecond, double loss) {

  private static final Duration LONGEST = Duration.ofSeconds(10);
  private static final long NARROWEST_BITS = 10_000;

  /** Hosts without delay, bandwidth limit or loss. */
  public static final PathProfile NONE = new PathProfile(Duration.ZERO, 0, 0);

  /**
   * @throws IllegalArgumentException if the round trip is negative or longer than 10 s, the
   *     bandwidth is below 10 kbit/s, or all packets are lost
   */
  public PathProfile {
    if (roundTrip.isNegative() || roundTrip.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "round trip must be in [0 s, 10 s]; got " + roundTrip.toMillis() + " ms");
    }
    if (bitsPerSecond != 0 && bitsPerSecond < NARROWEST_BITS) {
      throw new IllegalArgumentException(
          "bandwidth must be at least 10 kbit/s; got " + bitsPerSecond + " bit/s");
    }
    if (!(loss >= 0 && loss < 1)) {
      throw new IllegalArgumentException("loss must be in [0 %, 100 %); got " + 100 * loss);
    }
  }

  /** A profile without bandwidth limit and loss. */
  public static PathProfile of(Duration roundTrip) {
    return new PathProfile(roundTrip, 0, 0);
  }

  /** Whether there is nothing to emulate. */
  public boolean isNothing() {
    return roundTrip.isZero() && bitsPerSecond == 0 && loss == 0;
  }

  long oneWayNanos() {
    return roundTrip.toNanos() / 2;
  }
}
