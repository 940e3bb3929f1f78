package io.ensemble.objects.sync.permit;

/**
 * Records since when this process has seen the present round of a queue. A round is over when it
 * has been seen for the longest lease of a waiting request, and a tenth longer. A live process
 * looks several times in a lease, so only requests of processes that are dead, paused or cut off
 * for that long have not shown themselves.
 */
public final class WaiterFailureDetector {

  private long number = -1;
  private long endsAt;

  /** Records the round. Returns whether it is over. */
  public synchronized boolean isOver(QueueRound round, long now) {
    if (round.number() != number) {
      number = round.number();
      endsAt = now + HolderFailureDetector.judged(round.leaseMillis());
    }
    return now - endsAt >= 0;
  }
}
