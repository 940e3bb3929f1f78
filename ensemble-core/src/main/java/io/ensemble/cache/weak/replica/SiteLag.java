package io.ensemble.cache.weak.replica;

import java.time.Duration;

/**
 * How far one site may be behind, as one engine sees it.
 *
 * @param site the site's name
 * @param pendingCopies copies that wait or are under way
 * @param oldestUnsent how long the oldest of them has waited; zero when there is none
 * @param missed writes that were not copied, or perhaps not, and that only a comparison of all
 *     sites makes up for; a key that was written twice may count twice
 * @param lostMemory whether the site has lost its memory and was not compared since; then it may
 *     lack anything, whatever {@code missed} says
 * @param down whether the site is known not to answer; then nothing is kept for it
 * @param comparedMicros when a complete comparison last ended, in microseconds since 1970; 0 for
 *     never
 */
public record SiteLag(
    String site,
    int pendingCopies,
    Duration oldestUnsent,
    long missed,
    boolean lostMemory,
    boolean down,
    long comparedMicros) {

  /** Whether only a comparison makes the site equal. */
  public boolean dirty() {
    return missed > 0;
  }

  /**
   * How many of this engine's writes the site may lack at most: those on their way and those
   * missed; not a number when the site has lost its memory.
   */
  public double entries() {
    return lostMemory ? Double.NaN : pendingCopies + (double) missed;
  }
}
