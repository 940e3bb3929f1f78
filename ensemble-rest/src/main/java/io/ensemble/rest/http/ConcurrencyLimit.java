package io.ensemble.rest.http;

import java.util.HashMap;
import java.util.Map;

/**
 * Counts the requests of each caller, or each address, that are in progress or waiting. Only
 * callers with such requests have an entry, so the size is bounded by the limits of the service.
 * Thread-safe.
 */
public final class ConcurrencyLimit {

  private final String label;
  private final int maxPerCaller;
  private final int maxTotal;

  // Both fields are guarded by this object's lock.
  private final Map<String, Integer> countByCaller = new HashMap<>();
  private int total;

  /**
   * @param label the counted things, for messages
   * @param maxPerCaller the maximum for one caller
   * @param maxTotal the maximum for all callers together
   */
  public ConcurrencyLimit(String label, int maxPerCaller, int maxTotal) {
    this.label = label;
    this.maxPerCaller = maxPerCaller;
    this.maxTotal = maxTotal;
  }

  /**
   * Counts one more.
   *
   * @throws ProblemException if that would exceed a limit
   */
  public synchronized void begin(String caller) {
    if (total >= maxTotal) {
      throw new ProblemException(
          Problem.bare(
                  ProblemType.BUSY,
                  "at most %d %s of all callers are accepted; nothing was done"
                      .formatted(maxTotal, label))
              .header("Retry-After", "1"));
    }
    if (countByCaller.getOrDefault(caller, 0) >= maxPerCaller) {
      throw new ProblemException(
          Problem.bare(
                  ProblemType.TOO_MANY_REQUESTS,
                  "at most %d %s of one caller are accepted; nothing was done"
                      .formatted(maxPerCaller, label))
              .with("most", maxPerCaller)
              .header("Retry-After", "1"));
    }
    countByCaller.merge(caller, 1, Integer::sum);
    total++;
  }

  /** Counts one less. */
  public synchronized void end(String caller) {
    total--;
    countByCaller.computeIfPresent(caller, (name, count) -> count == 1 ? null : count - 1);
  }
}
