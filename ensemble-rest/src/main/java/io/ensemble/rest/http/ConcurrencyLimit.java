package io.ensemble.rest.http;

import java.util.HashMap;
import java.util.Map;

/**
 * How many requests each caller, or each address, has under way, or waiting. Knows those only who
 * have some, so it is no larger than what the service lets in. Thread-safe.
 */
public final class ConcurrencyLimit {

  private final String what;
  private final int most;
  private final int mostOfAll;

  // Both belong to this object's lock.
  private final Map<String, Integer> counts = new HashMap<>();
  private int all;

  /**
   * @param what are counted, as callers are told
   * @param most of them one caller may have
   * @param mostOfAll all of them together may have
   */
  public ConcurrencyLimit(String what, int most, int mostOfAll) {
    this.what = what;
    this.most = most;
    this.mostOfAll = mostOfAll;
  }

  /**
   * One more.
   *
   * @throws ProblemException if that were too many
   */
  public synchronized void begin(String caller) {
    if (all >= mostOfAll) {
      throw new ProblemException(
          Problem.bare(
                  ProblemType.BUSY,
                  "wanted at most %d %s of all; nothing was done".formatted(mostOfAll, what))
              .header("Retry-After", "1"));
    }
    if (counts.getOrDefault(caller, 0) >= most) {
      throw new ProblemException(
          Problem.bare(
                  ProblemType.TOO_MANY_REQUESTS,
                  "wanted at most %d %s of one caller; nothing was done".formatted(most, what))
              .with("most", most)
              .header("Retry-After", "1"));
    }
    counts.merge(caller, 1, Integer::sum);
    all++;
  }

  /** One less. */
  public synchronized void end(String caller) {
    all--;
    counts.computeIfPresent(caller, (name, count) -> count == 1 ? null : count - 1);
  }
}
