package io.ensemble.objects.sync.permit;

import java.util.List;

/**
 * The status of a request for permits.
 *
 * @param token the token of its grant, if it holds
 * @param holders the holders, if it does not hold
 * @param round the present round of the queue
 */
public record PermitStatus(Place place, long token, List<PermitHolder> holders, QueueRound round) {

  /** The place of a request. */
  public enum Place {
    HOLDS,
    WAITS,
    NONE
  }
}
