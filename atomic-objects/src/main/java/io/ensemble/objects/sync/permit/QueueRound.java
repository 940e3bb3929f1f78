package io.ensemble.objects.sync.permit;

/**
 * The present round of a queue. In each round, every waiting request has to show once that its
 * process is alive; a request that has not is removed when the round ends.
 *
 * @param number the number of the round
 * @param shown whether the request that looked waits, and has shown itself in this round
 * @param waiting the number of waiting requests
 * @param leaseMillis the longest lease of a waiting request; a round lasts longer than that
 */
public record QueueRound(long number, boolean shown, int waiting, long leaseMillis) {

  /** Whether no further request can join the queue. */
  public boolean isFull() {
    return waiting >= PermitState.MOST_WAITING;
  }
}
