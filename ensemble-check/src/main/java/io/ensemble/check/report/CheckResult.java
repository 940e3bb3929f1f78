package io.ensemble.check.report;

import io.ensemble.check.faults.FaultEvent;
import io.ensemble.testkit.history.OperationHistory;
import java.util.List;

/**
 * A report with what it was made from, for those who draw it.
 *
 * @param window what was noted of acknowledged writes; empty where no fail-over may drop any
 */
public record CheckResult(
    CheckReport report,
    GuaranteeVerdict finding,
    OperationHistory history,
    List<FaultEvent> events,
    List<WindowLine> window) {
  /** Copies the lists. */
  public CheckResult {
    events = List.copyOf(events);
    window = List.copyOf(window);
  }
}
