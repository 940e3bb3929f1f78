package io.ensemble.maintenance;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * The time since when the node of each store has been silent, as one process observes it. Pure: it
 * reads no clock. Not thread-safe.
 */
final class StoreSilence {

  /**
   * The longest time between two checks. After a longer pause this process may have slept, so it
   * cannot conclude that a node was silent.
   */
  static final Duration LONGEST_CHECK = Duration.ofMinutes(1);

  private final Map<String, Long> since = new HashMap<>();
  private long checkedAtNanos;

  /** Forgets the former silences if too much time has passed since the last check. */
  void beginCheck(long nowNanos) {
    if (nowNanos - checkedAtNanos > LONGEST_CHECK.toNanos()) {
      since.clear();
    }
    checkedAtNanos = nowNanos;
  }

  /** Records that a store's node did not answer, and returns the time of the first such check. */
  long recordSilence(String store, long nowNanos) {
    return since.computeIfAbsent(store, any -> nowNanos);
  }

  void recordAnswer(String store) {
    since.remove(store);
  }

  /** Forgets all other stores. */
  void retain(Set<String> silentStores) {
    since.keySet().retainAll(silentStores);
  }
}
