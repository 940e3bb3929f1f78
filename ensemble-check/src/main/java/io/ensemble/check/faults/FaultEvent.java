package io.ensemble.check.faults;

/**
 * A fault or repair of a site, or of a client process.
 *
 * @param atNanos the time of the event, on the history's clock
 * @param phase {@link #BEGIN}, {@link #END}, {@link #DISCARDED}, {@link #REFILLED} or {@link
 *     #BALANCED}
 * @param round the round of the plan, from 1; for a paused writer, the number of pauses including
 *     this one
 * @param kind the kind of fault, as it is typed; {@code degraded} for a store that is discarded,
 *     {@code writer-pause} for a paused writer, {@code restart} for one node of a rolling restart
 * @param site the name of the site, of the client process, or of the restarted node
 * @param what the event in words
 */
public record FaultEvent(
    long atNanos, String phase, int round, String kind, String site, String what) {

  /** The fault is about to begin. */
  public static final String BEGIN = "begin";

  /** The fault has ended: stopped processes run again. */
  public static final String END = "end";

  /** A store that refused permanently has been removed, to be refilled. */
  public static final String DISCARDED = "discarded";

  /** The site has received its entries again. */
  public static final String REFILLED = "refilled";

  /** The nodes of the site hold their parts of the data. */
  public static final String BALANCED = "balanced";
}
