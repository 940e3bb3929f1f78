package io.ensemble.objects.sync.permit;

import java.util.List;

/**
 * How a request for permits stands.
 *
 * @param token what it was granted with, if it holds
 * @param holders who holds, if it does not
 */
public record PermitStatus(Place place, long token, List<PermitHolder> holders) {

  /** Where a request is. */
  public enum Place {
    HOLDS,
    WAITS,
    NONE
  }
}
