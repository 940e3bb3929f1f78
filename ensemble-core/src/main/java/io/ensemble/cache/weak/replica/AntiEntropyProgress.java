package io.ensemble.cache.weak.replica;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** The counters of a comparison under way. Thread-safe. */
final class AntiEntropyProgress {

  final LongAdder scanned = new LongAdder();
  final LongAdder compared = new LongAdder();
  final LongAdder copied = new LongAdder();
  final LongAdder purged = new LongAdder();
  private final Map<String, String> unreachable = new ConcurrentHashMap<>();

  void recordFailure(String site, Throwable failure) {
    unreachable.putIfAbsent(site, RequestFailures.reason(StageLoops.unwrap(failure)));
  }

  boolean isComplete() {
    return unreachable.isEmpty();
  }

  boolean isReachable(String site) {
    return !unreachable.containsKey(site);
  }

  AntiEntropyReport report(long nanos) {
    return new AntiEntropyReport(
        scanned.sum(),
        compared.sum(),
        copied.sum(),
        purged.sum(),
        unreachable,
        Duration.ofNanos(nanos));
  }
}
