package io.ensemble.testkit.wan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class MeasurementTest {

  @Test
  void aRowTellsTheBandwidthByHowFarApartItArrives() {
    List<Answer> row =
        List.of(
            new Answer(0, 9, 1_000_000), new Answer(1, 9, 2_000_000), new Answer(2, 9, 3_000_000));

    assertThat(Measurement.megabits(row, 1_250)).isEqualTo(10.0);
  }

  @Test
  void lostOnesHadTheirTimeAndOrderDoesNotMatter() {
    List<Answer> row = List.of(new Answer(7, 9, 8_000_000), new Answer(2, 9, 3_000_000));

    assertThat(Measurement.megabits(row, 1_250)).isEqualTo(10.0);
  }

  @Test
  void tooFewTellNothing() {
    assertThat(Measurement.megabits(List.of(), 1_250)).isNull();
    assertThat(Measurement.megabits(List.of(new Answer(0, 9, 1)), 1_250)).isNull();
    assertThat(Measurement.percentile(new long[0], 0.5)).isNull();
  }

  @Test
  void percentilesAreInMilliseconds() {
    long[] sorted = {1_000_000, 2_000_000, 50_123_456};

    assertThat(Measurement.percentile(sorted, 0.5)).isEqualTo(2.0);
    assertThat(Measurement.percentile(sorted, 1)).isEqualTo(50.123);
  }
}
