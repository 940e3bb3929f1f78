package io.ensemble.check.faults;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Counts the faults and repairs of sites. */
public final class FaultCounts {

  private FaultCounts() {}

  /** The number of faults of each kind that have begun. */
  public static Map<String, Long> counts(List<FaultEvent> events) {
    return events.stream()
        .filter(event -> event.phase().equals(FaultEvent.BEGIN))
        .collect(Collectors.groupingBy(FaultEvent::kind, TreeMap::new, Collectors.counting()));
  }

  /** The number of refills of a site. */
  public static long refills(List<FaultEvent> events) {
    return count(events, FaultEvent.REFILLED);
  }

  /** The number of discarded stores of a site. */
  public static long discarded(List<FaultEvent> events) {
    return count(events, FaultEvent.DISCARDED);
  }

  private static long count(List<FaultEvent> events, String phase) {
    return events.stream().filter(event -> event.phase().equals(phase)).count();
  }
}
