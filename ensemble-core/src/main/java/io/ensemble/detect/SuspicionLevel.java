package io.ensemble.detect;

/**
 * The suspicion that one process has of a site.
 *
 * @param phi how unusual the site's silence is: a response takes so long with a probability of 10
 *     to the power of minus phi; 0 while no request is in progress
 * @param silentNanos for how long the site has left requests without a response; 0 while no request
 *     is in progress
 */
public record SuspicionLevel(State state, double phi, long silentNanos) {

  /** The level of a site that has received no request yet. */
  public static final SuspicionLevel UNASKED = new SuspicionLevel(State.REACHABLE, 0, 0);

  /** Whether a site is available. */
  public enum State {
    /** The site answers, or no request is in progress. */
    REACHABLE,
    /** The site is silent for longer than usual. */
    SUSPECTED,
    /** The site has been silent for so long that Ensemble does without it. */
    DOWN
  }
}
