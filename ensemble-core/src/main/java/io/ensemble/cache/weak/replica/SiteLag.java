package io.ensemble.cache.weak.replica;

import java.time.Duration;

/**
 * How far one site may be behind, as one engine sees it.
 *
 * @param site the site's name
 * @param pendingCopies copies that wait or are under way
 * @param oldestUnsent how long the oldest of them has waited; zero when there is none
 * @param missed writes that were not copied, or perhaps not, and that only a comparison of all
 *     sites restores; a key that was written twice may count twice
 * @param lostMemory whether the site has lost its memory and was not compared since; the site may
 *     then lack anything, whatever {@code missed} says
 * @param down whether the site is known not to answer; then no copies are kept for it
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
   * The largest number of this engine's writes that the site may lack: pending and missed ones; not
   * a number when the site has lost its memory.
   */
  public double entries() {
    return lostMemory ? Double.NaN : pendingCopies + (double) missed;
  }
}
