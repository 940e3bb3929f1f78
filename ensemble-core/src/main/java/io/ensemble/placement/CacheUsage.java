package io.ensemble.placement;

import io.ensemble.Acknowledgement;
import io.ensemble.Mode;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How a cache is used, from where, and at which sites it may be: the input of {@link
 * PlacementAdvisor}.
 *
 * @param replicas its replicas now, in the order of its definition; in SWMR the first one is the
 *     primary
 * @param candidates the sites that may hold it and answer, with their labels; its present sites
 *     count without being listed
 * @param spreadBy a label of which its sites should have different values; empty for none
 * @param origins the operations by origin
 * @param hotKeys lower bounds of the operations on the keys used most
 */
public record CacheUsage(
    Mode mode,
    Acknowledgement acknowledgement,
    List<String> replicas,
    Map<String, Map<String, String>> candidates,
    Optional<String> spreadBy,
    List<Origin> origins,
    List<Long> hotKeys) {

  /**
   * The operations of the processes near one site.
   *
   * @param site the site; empty if it is not known
   * @param processes how many processes
   * @param roundTripMillis the round trip from there to each site, as far as it is known, in
   *     milliseconds
   */
  public record Origin(
      String site, int processes, long reads, long writes, Map<String, Double> roundTripMillis) {

    public Origin {
      roundTripMillis = Map.copyOf(roundTripMillis);
    }

    long operations() {
      return reads + writes;
    }
  }

  /**
   * @throws IllegalArgumentException if there is no replica
   */
  public CacheUsage {
    replicas = List.copyOf(replicas);
    candidates = Map.copyOf(candidates);
    origins = List.copyOf(origins);
    hotKeys = List.copyOf(hotKeys);
    if (replicas.isEmpty()) {
      throw new IllegalArgumentException("a cache must have at least one replica");
    }
  }

  long reads() {
    return origins.stream().mapToLong(Origin::reads).sum();
  }

  long writes() {
    return origins.stream().mapToLong(Origin::writes).sum();
  }

  int processes() {
    return origins.stream().mapToInt(Origin::processes).sum();
  }
}
