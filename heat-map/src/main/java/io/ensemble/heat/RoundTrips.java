package io.ensemble.heat;

import io.ensemble.placement.ReplicaName;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAccumulator;

/**
 * The shortest time of a request of this process to each site, which is close to the round trip.
 * Thread-safe.
 */
final class RoundTrips {

  private static final long NANOS_IN_A_MICRO = 1_000;
  private static final long MOST_MICROS = Integer.MAX_VALUE;

  private final Map<String, LongAccumulator> open = new ConcurrentHashMap<>();

  /** By site, in microseconds, of the last window in which the site answered. */
  private final Map<String, Integer> last = new TreeMap<>(); // Guarded by itself.

  void add(String replica, long nanos) {
    LongAccumulator shortest = open.get(replica);
    if (shortest == null) {
      if (open.size() >= HeatSketch.MOST_SITES) {
        return;
      }
      shortest =
          open.computeIfAbsent(replica, any -> new LongAccumulator(Math::min, Long.MAX_VALUE));
    }
    shortest.accumulate(nanos);
  }

  /** Ends the window, and returns what is known by now: microseconds by site. */
  Map<String, Integer> endWindow() {
    synchronized (last) {
      Map<String, Integer> seen = new TreeMap<>();
      open.forEach(
          (replica, shortest) -> {
            long nanos = shortest.getThenReset();
            if (nanos != Long.MAX_VALUE) {
              int micros = (int) Math.min(MOST_MICROS, Math.max(1, nanos / NANOS_IN_A_MICRO));
              seen.merge(ReplicaName.siteOf(replica), micros, Math::min);
            }
          });
      seen.forEach(
          (site, micros) -> {
            if (last.containsKey(site) || last.size() < HeatSketch.MOST_SITES) {
              last.put(site, micros);
            }
          });
      return Map.copyOf(last);
    }
  }
}
