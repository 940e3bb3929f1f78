package io.ensemble.site;

import java.time.Duration;

/**
 * How much may be under way at one site. Beside that, {@linkplain SiteStore#prioritized requests
 * that leases hang on} have slots of their own: a quarter of {@code inFlight}, at least 8, and as
 * many as {@value #PRIORITIZED_WAITING} of them wait.
 *
 * @param inFlight requests sent and not answered, at most; at least 1
 * @param waiting requests that wait for their turn, at most; 0 for none. One more fails at once
 * @param longestRequest the longest that one request to a store may take, its wait included; a
 *     nearer deadline ends it earlier
 */
public record SiteLimits(int inFlight, int waiting, Duration longestRequest) {

  private static final int FEWEST_PRIORITIZED = 8;
  private static final int PRIORITIZED_WAITING = 1_024;

  /** 256 in flight, 1024 waiting, two seconds each. */
  public static final SiteLimits DEFAULT = new SiteLimits(256, 1024, Duration.ofSeconds(2));

  /**
   * @throws IllegalArgumentException naming the limit that cannot be
   */
  public SiteLimits {
    if (inFlight < 1) {
      throw new IllegalArgumentException("inFlight wants at least 1; got " + inFlight);
    }
    if (waiting < 0) {
      throw new IllegalArgumentException("waiting wants at least 0; got " + waiting);
    }
    // Infinispan counts these in int milliseconds.
    if (longestRequest.toMillis() < 1 || longestRequest.compareTo(Duration.ofHours(1)) > 0) {
      throw new IllegalArgumentException(
          "longestRequest wants 1 ms to 1 h; got " + longestRequest.toMillis() + " ms");
    }
  }

  /** What prioritized requests have beside the others. */
  SiteLimits ofPrioritized() {
    int slots = Math.max(FEWEST_PRIORITIZED, inFlight / 4);
    return new SiteLimits(slots, PRIORITIZED_WAITING, longestRequest);
  }
}
