package io.ensemble.zoofence.queue.executor;

/**
 * The queues of one process, for monitoring.
 *
 * @param led the number of queues that the process leads, to its own knowledge
 * @param stopped the number of those that have stopped because their instances differ
 */
public record QueueCounts(int led, int stopped) {
  public static final QueueCounts NONE = new QueueCounts(0, 0);
}
