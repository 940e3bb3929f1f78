package io.ensemble.rest.retries;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts what happened, so that a run without faults does not pass for one with faults. */
public final class RetryCounts {

  private final Map<String, LongAdder> counts = new ConcurrentSkipListMap<>();

  void count(String what) {
    counts.computeIfAbsent(what, name -> new LongAdder()).increment();
  }

  /** How often {@code what} was counted. */
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
