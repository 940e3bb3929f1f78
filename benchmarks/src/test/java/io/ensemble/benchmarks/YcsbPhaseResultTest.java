package io.ensemble.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class YcsbPhaseResultTest {

  @Test
  void aPhaseWithoutFlawCounts() {
    assertThat(phase(10, 10, 0).invalidityReason()).isEmpty();
    assertThat(phase(10, 10, 0).throughputPerSecond()).isEqualTo(5);
  }

  @Test
  void nothingFailingMissingOrUndoneCounts() {
    assertThat(phase(10, 0, 0).invalidityReason())
        .hasValueSatisfying(flaw -> assertThat(flaw).contains("no operation was done"));
    assertThat(phase(10, 10, 1).invalidityReason())
        .hasValueSatisfying(flaw -> assertThat(flaw).contains("failed=1"));
    assertThat(phase(10, 9, 0).invalidityReason())
        .hasValueSatisfying(flaw -> assertThat(flaw).contains("done=9"));
  }

  private static YcsbPhaseResult phase(long asked, long done, long errors) {
    OperationFigures figures =
        new OperationFigures(
            done, errors, 1, 1, 1, 1, 1, 1, 1, Map.of("OK", done - errors, "ERROR", errors));
    return new YcsbPhaseResult("run", asked, done, 2_000, Map.of("READ", figures));
  }
}
