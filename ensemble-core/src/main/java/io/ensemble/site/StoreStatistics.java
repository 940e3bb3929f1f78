package io.ensemble.site;

import java.util.OptionalLong;

/**
 * The load of one store, by the statistics of the nodes that hold it, from all clients.
 *
 * @param entries how many entries it holds, each once however many nodes have it; tombstones count
 *     too; empty if the store reports no statistics
 * @param requests how many reads, writes and removals it has had since its node started it, those
 *     of Ensemble's own checks included; begins again at 0 when the node restarts; empty if the
 *     store reports no statistics
 */
public record StoreStatistics(OptionalLong entries, OptionalLong requests) {

  /** No figure is known. */
  public static final StoreStatistics UNKNOWN =
      new StoreStatistics(OptionalLong.empty(), OptionalLong.empty());
}
