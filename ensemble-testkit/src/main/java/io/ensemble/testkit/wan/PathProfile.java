package io.ensemble.testkit.wan;

import java.time.Duration;

/**
 * What lies between two hosts, the same both ways.
 *
 * @param roundTrip how long a packet and its answer take; half of it each way
 * @param bitsPerSecond how much it carries in each direction, headers of IP included; 0 for as much
 *     as comes
 * @param loss which part of the packets is lost in each direction, 0.01 for one in a hundred
 */
public record PathProfile(Duration roundTrip, long bitsPerSecond, double loss) {

  private static final Duration LONGEST = Duration.ofSeconds(10);
  private static final long NARROWEST_BITS = 10_000;

  /** Next to each other. */
  public static final PathProfile NONE = new PathProfile(Duration.ZERO, 0, 0);

  /**
   * @throws IllegalArgumentException if it is shorter than nothing, longer than ten seconds,
   *     narrower than 10 kbit/s, or loses everything
   */
  public PathProfile {
    if (roundTrip.isNegative() || roundTrip.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "a round trip wants 0 to 10 s; got " + roundTrip.toMillis() + " ms");
    }
    if (bitsPerSecond != 0 && bitsPerSecond < NARROWEST_BITS) {
      throw new IllegalArgumentException(
          "a bandwidth wants 10 kbit/s or more; got " + bitsPerSecond + " bit/s");
    }
    if (!(loss >= 0 && loss < 1)) {
      throw new IllegalArgumentException("a loss wants 0 to less than 100 %; got " + 100 * loss);
    }
  }

  /** One that neither bounds nor loses anything. */
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
