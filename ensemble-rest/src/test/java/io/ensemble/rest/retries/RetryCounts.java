package io.ensemble.rest.retries;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts what came, so that a run in which nothing befell does not pass for one in which it did.
 */
public final class RetryCounts {

  private final Map<String, LongAdder> counts = new ConcurrentSkipListMap<>();

  void count(String what) {
    counts.computeIfAbsent(what, name -> new LongAdder()).increment();
  }

  /** How often it came. */
  public long of(String what) {
    LongAdder found = counts.get(what);
    return found == null ? 0 : found.sum();
  }

  @Override
  public String toString() {
    Map<String, Long> all = new TreeMap<>();
    counts.forEach((name, count) -> all.put(name, count.sum()));
    return all.toString();
  }
}
