package io.ensemble.site;

import java.time.Duration;

/**
 * The limits of requests in progress at one site. In addition, {@linkplain SiteStore#prioritized
 * requests on which leases depend} have slots of their own: a quarter of {@code inFlight}, at least
 * 8, and up to {@value #PRIORITIZED_WAITING} of them wait.
 *
 * @param inFlight requests sent and not answered, at most; at least 1
 * @param waiting requests that wait for their turn, at most; 0 for none. Any further request fails
 *     immediately
 * @param longestRequest the longest that one request to a store may take, its wait included; a
 *     nearer deadline ends it earlier
 */
public record SiteLimits(int inFlight, int waiting, Duration longestRequest) {

  private static final int FEWEST_PRIORITIZED = 8;
  private static final int PRIORITIZED_WAITING = 1_024;

  /** 256 in flight, 1024 waiting, 2 s each. */
  public static final SiteLimits DEFAULT = new SiteLimits(256, 1024, Duration.ofSeconds(2));

  /**
   * @throws IllegalArgumentException naming the invalid limit
   */
  public SiteLimits {
    if (inFlight < 1) {
      throw new IllegalArgumentException("inFlight must be at least 1; got " + inFlight);
    }
    if (waiting < 0) {
      throw new IllegalArgumentException("waiting must be at least 0; got " + waiting);
    }
    // Infinispan counts these in int milliseconds.
    if (longestRequest.toMillis() < 1 || longestRequest.compareTo(Duration.ofHours(1)) > 0) {
      throw new IllegalArgumentException(
          "longestRequest must be in [1 ms, 1 h]; got " + longestRequest.toMillis() + " ms");
    }
  }

  /** The limits of prioritized requests. */
  SiteLimits ofPrioritized() {
    int slots = Math.max(FEWEST_PRIORITIZED, inFlight / 4);
    return new SiteLimits(slots, PRIORITIZED_WAITING, longestRequest);
  }
}
