package io.ensemble.testkit.trace;

/**
 * One read of a key, at its position among the versions of the trace.
 *
 * @param at the time of the read, in the numbers of the versions
 */
public record TraceRead(String key, long at, Kind kind) {

  /** What is read, as LEADS D2.6, appendix A, section VI.B distinguishes it. */
  public enum Kind {
    /** The latest version. */
    LATEST,
    /** Some earlier version. */
    OLD,
    /** The list of all versions, without their values. */
    HISTORY
  }
}
