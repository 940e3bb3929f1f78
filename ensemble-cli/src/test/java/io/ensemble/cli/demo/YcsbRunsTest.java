package io.ensemble.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class YcsbRunsTest {

  private static final YcsbRuns.Run RUN = new YcsbRuns.Run("a", "mwmr");
  private static final String REPORT =
      """
      {"phases": [
        {"phase": "load", "done": 1000, "throughput_per_second": 1.0, "operations": {}},
        {"phase": "run", "done": %d, "throughput_per_second": 250.5, "operations":
          {"READ": {"p99_micros": 900}, "UPDATE": {"p99_micros": 1900.5}}}]}
      """;

  @Test
  void theRunIsTakenFromItsReport() {
    assertThat(YcsbRuns.row(RUN, REPORT.formatted(500), 500))
        .isEqualTo(new YcsbRow("a", "mwmr", 500, 250.5, 900, 1900.5));
  }

  @Test
  void tooFewOperationsAreAFailure() {
    assertThatThrownBy(() -> YcsbRuns.row(RUN, REPORT.formatted(499), 500))
        .isInstanceOf(VerificationException.class)
        .hasMessageContaining("500 operations; did 499");
  }

  @Test
  void aReportWithoutARunIsAFailure() {
    assertThatThrownBy(() -> YcsbRuns.row(RUN, "{\"phases\": []}", 1))
        .isInstanceOf(VerificationException.class);
    assertThatThrownBy(() -> YcsbRuns.row(RUN, "no json", 1))
        .isInstanceOf(VerificationException.class);
  }
}
