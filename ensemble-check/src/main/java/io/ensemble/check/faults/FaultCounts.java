package io.ensemble.check.faults;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Counts what was done to sites. */
public final class FaultCounts {

  private FaultCounts() {}

  /** How often each kind has begun. */
  public static Map<String, Long> counts(List<FaultEvent> events) {
    return events.stream()
        .filter(event -> event.phase().equals(FaultEvent.BEGIN))
        .collect(Collectors.groupingBy(FaultEvent::kind, TreeMap::new, Collectors.counting()));
  }

  /** How often a site was refilled. */
  public static long refills(List<FaultEvent> events) {
    return count(events, FaultEvent.REFILLED);
  }

  /** How often a site's store was given up. */
  public static long givenUp(List<FaultEvent> events) {
    return count(events, FaultEvent.GIVEN_UP);
  }

  private static long count(List<FaultEvent> events, String phase) {
    return events.stream().filter(event -> event.phase().equals(phase)).count();
  }
}
