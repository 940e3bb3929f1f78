package io.ensemble.benchmarks;

import java.util.Map;
import java.util.Optional;

/**
 * What became of a phase.
 *
 * @param phase {@code load} or {@code run}
 * @param asked operations wanted
 * @param done operations begun and ended, well or not
 * @param runMillis from the first thread's start to the last one's end
 * @param operations what was measured, by YCSB's names; those that failed are timed under names of
 *     their own
 */
public record YcsbPhaseResult(
    String phase, long asked, long done, long runMillis, Map<String, OperationFigures> operations) {

  /** Operations done in a second. */
  public double throughputPerSecond() {
    return runMillis == 0 ? 0 : 1000.0 * done / runMillis;
  }

  /** How many did not end well. */
  public long errors() {
    return operations.values().stream().mapToLong(OperationFigures::errors).sum();
  }

  /** Why this phase does not count; empty if it does. */
  public Optional<String> flaw() {
    if (done == 0) {
      return Optional.of("nothing was done; phase=%s wanted=%d".formatted(phase, asked));
    }
    if (errors() > 0) {
      return Optional.of(
          "operations failed; phase=%s failed=%d done=%d wanted=%d"
              .formatted(phase, errors(), done, asked));
    }
    if (done != asked) {
      return Optional.of(
          "not everything was done; phase=%s done=%d wanted=%d".formatted(phase, done, asked));
    }
    return Optional.empty();
  }
}
