package io.ensemble.simulation;

/** The kinds of faults in a simulation; {@link SimTrace#count} counts their occurrences. */
public enum SimFaultKind {
  /** A request was lost in the network; it was not performed. */
  REQUEST_LOST,
  /** A reply was lost in the network; the request was performed. */
  REPLY_LOST,
  /** A request was sent twice, as by a client that retries automatically. */
  REQUEST_DUPLICATED,
  /** A message overtook an earlier one between the same client and site. */
  REORDERED,
  /** A request was lost in a cut; it was not performed. */
  REQUEST_CUT,
  /** A reply was lost in a cut; the request was performed. */
  REPLY_CUT,
  /** A message of a slow site took longer. */
  SLOWED,
  /** A site returned false for a request that it had performed. */
  DENIED,
  /** A request arrived at a site that was down; it was not performed. */
  SITE_WAS_DOWN,
  /** A request waited until a paused site resumed. */
  HELD,
  /**
   * A request was performed, or performed again, after its client had a response or abandoned it.
   */
  PERFORMED_LATE,
  /** A request was abandoned at its deadline. */
  TIMED_OUT,
  /** A request was rejected because too many were under way. */
  BUSY,
  /** A client and a site were cut from each other, in one direction or both. */
  CUT,
  /** A site became slow. */
  SITE_SLOW,
  /** A site stopped for a while and lost no state, not even the requests that arrived. */
  SITE_PAUSED,
  /** A site crashed and kept its stores. */
  SITE_CRASHED,
  /** A site crashed and lost its stores. */
  SITE_WIPED,
  /** A client crashed. */
  CLIENT_CRASHED
}
