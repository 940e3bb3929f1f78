package io.ensemble.testkit.sim;

/** What can go wrong in a simulation; {@link SimTrace#count} tells how often it did. */
public enum SimFaultKind {
  /** A request vanished on the way; it was not performed. */
  REQUEST_LOST,
  /** A reply vanished on the way; the request was performed. */
  REPLY_LOST,
  /** A request was sent twice, as a client does that tries again by itself. */
  REQUEST_DUPLICATED,
  /** A message overtook an earlier one between the same two. */
  REORDERED,
  /** A request met a cut; it was not performed. */
  REQUEST_CUT,
  /** A reply met a cut; the request was performed. */
  REPLY_CUT,
  /** A message of a slow site took longer. */
  SLOWED,
  /** A site answered false to what it had performed. */
  DENIED,
  /** A request came to a site that was down; it was not performed. */
  SITE_WAS_DOWN,
  /** A request waited for a paused site to go on. */
  HELD,
  /** A request was performed, or performed again, after its client had an answer or gave it up. */
  PERFORMED_LATE,
  /** A request was given up at its deadline. */
  TIMED_OUT,
  /** A request found too much under way. */
  BUSY,
  /** A client and a site were cut from each other, one way or both. */
  CUT,
  /** A site became slow. */
  SITE_SLOW,
  /** A site stopped for a while and forgot nothing, not even the requests that came. */
  SITE_PAUSED,
  /** A site crashed and kept its stores. */
  SITE_CRASHED,
  /** A site crashed and lost its stores. */
  SITE_WIPED,
  /** A client crashed. */
  CLIENT_CRASHED
}
