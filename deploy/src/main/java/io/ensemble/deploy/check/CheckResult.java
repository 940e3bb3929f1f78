package io.ensemble.deploy.check;

import io.ensemble.testkit.history.History;
import java.util.List;

/** A report with what it was made from, for those who draw it. */
public record CheckResult(
    CheckReport report, Finding finding, History history, List<FaultEvent> events) {
  /** Copies the list. */
  public CheckResult {
    events = List.copyOf(events);
  }
}
