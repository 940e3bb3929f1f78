package io.ensemble.near;

/**
 * The work of a near cache since it was opened.
 *
 * @param hits reads that sent no request
 * @param misses reads that asked the cache, or waited for a read that did; without those that the
 *     near cache does not cover
 * @param staleRefusals the misses of which the near cache had a value that was too old
 * @param invalidations entries that were dropped because a site reported another value, or because
 *     such reports may have been missed
 * @param backgroundReads reads by {@link NearCacheSettings.Filling#EAGER}
 * @param evictions entries that were dropped for lack of space
 * @param entries how many keys are held now, absent ones included
 * @param bytes the memory that they take, estimated
 */
public record NearCacheStatistics(
    long hits,
    long misses,
    long staleRefusals,
    long invalidations,
    long backgroundReads,
    long evictions,
    long entries,
    long bytes) {

  /** The share of hits among all reads; 0 before the first read. */
  public double hitRatio() {
    long reads = hits + misses;
    return reads == 0 ? 0 : (double) hits / reads;
  }
}
