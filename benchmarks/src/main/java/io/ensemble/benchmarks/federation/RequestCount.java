package io.ensemble.benchmarks.federation;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** The number of requests to sites, by kind. Thread-safe. */
public final class RequestCount {

  private final Map<String, LongAdder> kinds = new ConcurrentHashMap<>();

  /** Counts a request. */
  public void sent(String kind) {
    kinds.computeIfAbsent(kind, name -> new LongAdder()).increment();
  }

  /** Requests of each kind since the last call. */
  public Map<String, Long> take() {
    Map<String, Long> taken = new TreeMap<>();
    kinds.forEach(
        (kind, count) -> {
          long sent = count.sumThenReset();
          if (sent > 0) {
            taken.put(kind, sent);
          }
        });
    return taken;
  }
}
