package io.ensemble.placement;

import java.util.List;
import java.util.Optional;

/**
 * Advice for the placement of a cache. Latencies are estimated from round trips alone: one round
 * trip for each step of an operation without contention. They contain no time at the servers.
 *
 * @param verdict what is advised, or why nothing is
 * @param operations the operations of which the advice was made
 * @param sites the advised sites, in the order of a definition; the present ones if no move is
 *     advised
 * @param now the mean latency at the present sites; empty if it cannot be estimated
 * @param then the mean latency at the advised sites; empty if it cannot be estimated
 * @param unknown sites that might hold the cache, but whose distance from an origin is not known
 * @param nearCache advice for a near cache in each process; empty if it would not pay
 */
public record PlacementAdvice(
    Verdict verdict,
    long operations,
    List<String> sites,
    Optional<MeanLatency> now,
    Optional<MeanLatency> then,
    List<String> unknown,
    Optional<NearCacheGain> nearCache) {

  /** What is advised about the sites. */
  public enum Verdict {
    /** Other sites are better. */
    MOVE,
    /** No other sites are better by a tenth, and by 0.1 ms. */
    STAY,
    /** Fewer operations are known than {@value PlacementAdvisor#LEAST_OPERATIONS}. */
    NOT_ENOUGH_OPERATIONS,
    /** The distances to the present sites are not known from every origin. */
    DISTANCES_UNKNOWN
  }

  /**
   * Mean latencies over all origins, in milliseconds.
   *
   * @param read of a read
   * @param write of a write
   * @param operation of an operation, by the mix of reads and writes
   */
  public record MeanLatency(double read, double write, double operation) {}

  /**
   * The gain of a near cache.
   *
   * @param keys how many of the keys used most would have hits; each process keeps so many entries
   * @param hitRatio the least expected share of reads that are answered by it, between 0 and 1
   * @param savedReadMillis by how much the mean latency of a read falls; empty if it is not known
   */
  public record NearCacheGain(int keys, double hitRatio, Optional<Double> savedReadMillis) {}

  public PlacementAdvice {
    sites = List.copyOf(sites);
    unknown = List.copyOf(unknown);
  }
}
