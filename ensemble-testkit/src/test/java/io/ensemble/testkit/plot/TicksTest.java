package io.ensemble.testkit.plot;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TicksTest {

  @ParameterizedTest
  @CsvSource({"234, 5, 50", "5, 5, 1", "1, 5, 0.2", "1001, 5, 500", "99, 200, 0.5", "148, 200, 1"})
  void stepsAreRound(double range, int most, double step) {
    assertThat(Ticks.step(range, most)).isEqualTo(step);
  }

  @ParameterizedTest
  @CsvSource({"9, 12, 1", "61, 12, 10", "148, 12, 15", "600, 12, 60", "86400, 12, 7200"})
  void timesAreCountedAsPeopleDo(double range, int most, double step) {
    assertThat(Ticks.seconds(range, most)).isEqualTo(step);
  }

  @Test
  void aStepNeverGivesMoreThanAsked() {
    for (double range = 0.5; range < 1e6; range *= 1.0137) {
      assertThat(range / Ticks.step(range, 5)).isLessThanOrEqualTo(5.000001);
    }
  }
}
