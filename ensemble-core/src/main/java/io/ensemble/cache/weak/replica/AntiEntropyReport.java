package io.ensemble.cache.weak.replica;

import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * The result of a comparison of sites, or of a refill.
 *
 * @param scanned entries scanned at all sites together
 * @param compared keys that were compared one by one, because summaries differed
 * @param copied entries written to a site that lacked them or had older ones
 * @param purged entries removed everywhere: tombstones and expired values past their grace
 * @param unreachable sites that did not take part to the end, with the reason
 * @param duration how long the comparison or refill took
 */
public record AntiEntropyReport(
    long scanned,
    long compared,
    long copied,
    long purged,
    Map<String, String> unreachable,
    Duration duration) {

  public AntiEntropyReport {
    unreachable = Collections.unmodifiableMap(new TreeMap<>(unreachable));
  }

  /** Whether every site took part to the end. */
  public boolean isComplete() {
    return unreachable.isEmpty();
  }
}
