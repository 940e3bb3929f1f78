package io.ensemble.zoofence.queue.executor;

import io.ensemble.zoofence.flattening.InstanceSet;
import java.util.Collections;
import java.util.SortedMap;

/**
 * The queues of one process, for monitoring.
 *
 * @param depths the number of unfinished commands of each queue that the process leads, to its own
 *     knowledge
 * @param stopped the number of those queues that have stopped because their instances differ
 */
public record QueueCounts(SortedMap<InstanceSet, Integer> depths, int stopped) {
  public static final QueueCounts NONE = new QueueCounts(Collections.emptySortedMap(), 0);

  /** The number of queues that the process leads. */
  public int led() {
    return depths.size();
  }
}
