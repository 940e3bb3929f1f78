package io.ensemble.rest.http;

import java.util.HashMap;
import java.util.Map;

/**
 * Counts the requests of each caller, or each address, that are in progress or waiting. Only
 * callers with such requests have an entry, so the size is bounded by the limits of the service.
 * Thread-safe.
 */
public final class ConcurrencyLimit {

  private final String what;
  private final int most;
  private final int mostOfAll;

  // Both fields are guarded by this object's lock.
  private final Map<String, Integer> counts = new HashMap<>();
  private int all;

  /**
   * @param what the counted things, for messages
   * @param most the maximum for one caller
   * @param mostOfAll the maximum for all callers together
   */
  public ConcurrencyLimit(String what, int most, int mostOfAll) {
    this.what = what;
    this.most = most;
    this.mostOfAll = mostOfAll;
  }

  /**
   * Counts one more.
   *
   * @throws ProblemException if that would exceed a limit
   */
  public synchronized void begin(String caller) {
    if (all >= mostOfAll) {
      throw new ProblemException(
          Problem.bare(
                  ProblemType.BUSY,
                  "at most %d %s of all callers are accepted; nothing was done"
                      .formatted(mostOfAll, what))
              .header("Retry-After", "1"));
    }
    if (counts.getOrDefault(caller, 0) >= most) {
      throw new ProblemException(
          Problem.bare(
                  ProblemType.TOO_MANY_REQUESTS,
                  "at most %d %s of one caller are accepted; nothing was done"
                      .formatted(most, what))
              .with("most", most)
              .header("Retry-After", "1"));
    }
    counts.merge(caller, 1, Integer::sum);
    all++;
  }

  /** Counts one less. */
  public synchronized void end(String caller) {
    all--;
    counts.computeIfPresent(caller, (name, count) -> count == 1 ? null : count - 1);
  }
}
