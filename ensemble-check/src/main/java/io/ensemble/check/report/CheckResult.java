package io.ensemble.check.report;

import io.ensemble.check.faults.FaultEvent;
import io.ensemble.testkit.history.OperationHistory;
import java.util.List;

/**
 * A report with its data, for the drawing of pictures.
 *
 * @param window the notes about acknowledged writes; empty if no fail-over may drop any
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
