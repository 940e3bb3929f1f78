package io.ensemble.rest.gate;

import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.ProblemType;
import java.util.HashMap;
import java.util.Map;

/**
 * How many requests each caller, or each address, has under way. Knows those only who have some, so
 * it is no larger than what the service lets in. Thread-safe.
 */
final class UnderWay {

  private final int most;
  private final int mostOfAll;

  // Both belong to this object's lock.
  private final Map<String, Integer> counts = new HashMap<>();
  private int all;

  UnderWay(int most, int mostOfAll) {
    this.most = most;
    this.mostOfAll = mostOfAll;
  }

  /**
   * One more.
   *
   * @throws ProblemException if that were too many
   */
  synchronized void begin(String caller) {
    if (all >= mostOfAll) {
      throw new ProblemException(
          Problem.bare(ProblemType.BUSY, "too many wait to be known; nothing was done")
              .header("Retry-After", "1"));
    }
    if (counts.getOrDefault(caller, 0) >= most) {
      throw new ProblemException(
          Problem.bare(
                  ProblemType.TOO_MANY_REQUESTS,
                  "wanted at most %d requests of one caller under way; nothing was done"
                      .formatted(most))
              .with("most", most)
              .header("Retry-After", "1"));
    }
    counts.merge(caller, 1, Integer::sum);
    all++;
  }

  /** One less. */
  synchronized void end(String caller) {
    all--;
    counts.computeIfPresent(caller, (name, count) -> count == 1 ? null : count - 1);
  }
}
