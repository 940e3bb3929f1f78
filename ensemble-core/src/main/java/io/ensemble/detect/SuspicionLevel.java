package io.ensemble.detect;

/**
 * What one process thinks of a site.
 *
 * @param phi how unusual its silence is: the chance that an answer takes so long is one in ten to
 *     the power of this; 0 while nothing is asked
 * @param silentNanos for how long it has left requests without an answer; 0 while nothing is asked
 */
public record SuspicionLevel(State state, double phi, long silentNanos) {

  /** Of a site that nobody has asked anything yet. */
  public static final SuspicionLevel UNASKED = new SuspicionLevel(State.REACHABLE, 0, 0);

  /** Whether a site is there. */
  public enum State {
    /** It answers, or nobody asks. */
    REACHABLE,
    /** It is silent for longer than it should be. */
    SUSPECTED,
    /** It has been for so long that it is to be done without. */
    DOWN
  }
}
