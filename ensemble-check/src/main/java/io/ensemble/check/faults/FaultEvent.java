package io.ensemble.check.faults;

/**
 * Something that was done to a site, or to a client process.
 *
 * @param atNanos when, on the history's clock
 * @param phase {@link #BEGIN}, {@link #END}, {@link #GIVEN_UP}, {@link #REFILLED} or {@link
 *     #BALANCED}
 * @param round in which round of the plan, from 1; of a writer that is stopped, how many were so
 *     with it
 * @param kind the kind of fault, as it is typed; {@code degraded} of a store that is given up,
 *     {@code writer-pause} of a writer that is stopped, {@code restart} of one of the nodes that
 *     are restarted in turn
 * @param site the site's name, the client process's, or the node's that is restarted in turn
 * @param what in words
 */
public record FaultEvent(
    long atNanos, String phase, int round, String kind, String site, String what) {

  /** It is about to begin. */
  public static final String BEGIN = "begin";

  /** It has ended: what was stopped runs. */
  public static final String END = "end";

  /** A store that refused for good has been removed, to be refilled. */
  public static final String GIVEN_UP = "given up";

  /** The site has been given its entries again. */
  public static final String REFILLED = "refilled";

  /** The site's nodes hold what they are to hold. */
  public static final String BALANCED = "balanced";
}
