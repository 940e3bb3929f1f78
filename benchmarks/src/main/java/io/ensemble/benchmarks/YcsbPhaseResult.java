package io.ensemble.benchmarks;

import java.util.Map;
import java.util.Optional;

/**
 * The result of a phase.
 *
 * @param phase {@code load} or {@code run}
 * @param asked the requested number of operations
 * @param done the number of operations that ended, successfully or not
 * @param runMillis from the first thread's start to the last one's end
 * @param operations the measurements, by YCSB's names; failed operations have names of their own
 */
public record YcsbPhaseResult(
    String phase, long asked, long done, long runMillis, Map<String, OperationFigures> operations) {

  /** Operations per second. */
  public double throughputPerSecond() {
    return runMillis == 0 ? 0 : 1000.0 * done / runMillis;
  }

  /** The number of failed operations. */
  public long errors() {
    return operations.values().stream().mapToLong(OperationFigures::errors).sum();
  }

  /** The reason why this phase does not count; empty if it does. */
  public Optional<String> invalidityReason() {
    if (done == 0) {
      return Optional.of("no operation was done; phase=%s expected=%d".formatted(phase, asked));
    }
    if (errors() > 0) {
      return Optional.of(
          "operations failed; phase=%s failed=%d done=%d expected=%d"
              .formatted(phase, errors(), done, asked));
    }
    if (done != asked) {
      return Optional.of(
          "operations are missing; phase=%s done=%d expected=%d".formatted(phase, done, asked));
    }
    return Optional.empty();
  }
}
