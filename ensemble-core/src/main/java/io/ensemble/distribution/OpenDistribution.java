package io.ensemble.distribution;

import io.ensemble.cache.adapter.CacheInstance;
import io.ensemble.cache.distributed.DistributedEngine;
import io.ensemble.cache.distributed.PartitionTable;
import io.ensemble.catalog.definition.StoredDistribution;

/**
 * A distributed cache that a manager has open. Thread-safe.
 *
 * @param stored as the catalog had it when it was opened
 * @param engine what its calls go to
 * @param faces what its users see
 * @param watch whether it is still there, and what it is now
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

  /** Keys are dealt out so from now on, as a record of that revision says. */
  void deal(PartitionTable next, long revision) {
    engine.deal(next);
    watch.followed(revision);
  }

  /** Closes it, because it is deleted. */
  void delete() {
    watch.close();
    faces.closeAsDeleted();
  }

  void close() {
    watch.close();
    faces.close();
  }
}
