package io.ensemble.testkit.wan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class WanMeasurementTest {

  @Test
  void aRowTellsTheBandwidthByHowFarApartItArrives() {
    List<ProbeReply> row =
        List.of(
            new ProbeReply(0, 9, 1_000_000),
            new ProbeReply(1, 9, 2_000_000),
            new ProbeReply(2, 9, 3_000_000));

    assertThat(WanMeasurement.megabits(row, 1_250)).isEqualTo(10.0);
  }

  @Test
  void lostOnesHadTheirTimeAndOrderDoesNotMatter() {
    List<ProbeReply> row =
        List.of(new ProbeReply(7, 9, 8_000_000), new ProbeReply(2, 9, 3_000_000));

    assertThat(WanMeasurement.megabits(row, 1_250)).isEqualTo(10.0);
  }

  @Test
  void tooFewTellNothing() {
    assertThat(WanMeasurement.megabits(List.of(), 1_250)).isNull();
    assertThat(WanMeasurement.megabits(List.of(new ProbeReply(0, 9, 1)), 1_250)).isNull();
    assertThat(WanMeasurement.percentile(new long[0], 0.5)).isNull();
  }

  @Test
  void percentilesAreInMilliseconds() {
    long[] sorted = {1_000_000, 2_000_000, 50_123_456};

    assertThat(WanMeasurement.percentile(sorted, 0.5)).isEqualTo(2.0);
    assertThat(WanMeasurement.percentile(sorted, 1)).isEqualTo(50.123);
  }
}
