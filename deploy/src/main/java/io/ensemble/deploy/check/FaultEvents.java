package io.ensemble.deploy.check;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Counts what was done to sites. */
final class FaultEvents {

  private FaultEvents() {}

  /** How often each kind has begun. */
  static Map<String, Long> counts(List<FaultEvent> events) {
    return events.stream()
        .filter(event -> event.phase().equals(FaultEvent.BEGIN))
        .collect(Collectors.groupingBy(FaultEvent::kind, TreeMap::new, Collectors.counting()));
  }

  /** How often a site was refilled. */
  static long refills(List<FaultEvent> events) {
    return events.stream().filter(event -> event.phase().equals(FaultEvent.REFILLED)).count();
  }
}
