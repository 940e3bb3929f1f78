package io.ensemble.benchmarks.zoofence;

import java.time.Duration;
import java.util.List;

/**
 * The plan for measurements of concurrent queues.
 *
 * @param localities percentages of the operations on the site's own queue, measured one after the
 *     other
 * @param clients the numbers of clients of each site, measured one after the other; each client has
 *     two producers
 * @param roundTrip the round trip between any two sites; zero means no emulation
 * @param inSite the round trip from a site's producers to its own servers
 */
public record QueuePlan(
    List<Integer> localities, List<Integer> clients, Duration roundTrip, Duration inSite) {

  /**
   * @throws IllegalArgumentException if a value is invalid; the message names it
   */
  public QueuePlan {
    localities = List.copyOf(localities);
    clients = List.copyOf(clients);
    if (localities.isEmpty() || localities.stream().anyMatch(part -> part < 0 || part > 100)) {
      throw new IllegalArgumentException("localities must be in [0 %, 100 %]; got " + localities);
    }
    if (clients.isEmpty() || clients.stream().anyMatch(count -> count < 1)) {
      throw new IllegalArgumentException("numbers of clients must be 1 or more; got " + clients);
    }
    if (roundTrip.isNegative() || inSite.isNegative()) {
      throw new IllegalArgumentException("round trips must be 0 ms or more");
    }
    if (inSite.compareTo(roundTrip) > 0) {
      throw new IllegalArgumentException(
          "what is within a site is nearer than another site; got %d and %d ms"
              .formatted(inSite.toMillis(), roundTrip.toMillis()));
    }
  }
}
