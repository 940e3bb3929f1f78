package io.ensemble.distribution;

import io.ensemble.cache.adapter.CacheInstance;
import io.ensemble.cache.distributed.DistributedEngine;
import io.ensemble.cache.distributed.PartitionTable;
import io.ensemble.catalog.definition.StoredDistribution;

/**
 * A distributed cache that a manager has open. Thread-safe.
 *
 * @param stored its record when it was opened
 * @param engine receives its calls
 * @param faces the cache as its users see it
 * @param watch detects its deletion and later records
 */
record OpenDistribution(
    StoredDistribution stored,
    DistributedEngine engine,
    CacheInstance faces,
    DistributionWatch watch) {

  /** Whether all parts are open. */
  boolean isWhole() {
    return engine.isWhole();
  }

  /**
   * Partitions keys by {@code next} from now on, which is the table of the record of {@code
   * revision}.
   */
  void deal(PartitionTable next, long revision) {
    engine.deal(next);
    watch.followed(revision);
  }

  /** Closes the cache because it is deleted. */
  void delete() {
    watch.close();
    faces.closeAsDeleted();
  }

  void close() {
    watch.close();
    faces.close();
  }
}
