package io.ensemble.testkit.plot;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RateChartTest {

  private final RateChart chart = RateChart.of(60, 160, 20, 120, 10, 234);

  @Test
  void theTopIsTheFirstRoundRateThatHoldsAll() {
    assertThat(chart.most()).isEqualTo(250);
    assertThat(chart.y(0)).isEqualTo(120);
    assertThat(chart.y(250)).isEqualTo(20);
  }

  @Test
  void secondsBeyondTheEndsAreAtThem() {
    assertThat(chart.x(5)).isEqualTo(110);
    assertThat(chart.x(-1)).isEqualTo(60);
    assertThat(chart.x(11)).isEqualTo(160);
  }

  @Test
  void aCurveGoesThroughTheMiddleOfEachBin() {
    assertThat(chart.curve(new double[] {0, 250}, 2, "red"))
        .contains("points=\"70.0,120.0 90.0,20.0\"")
        .contains("stroke=\"red\"");
  }

  @Test
  void axesNameRatesAndSeconds() {
    assertThat(chart.axes()).contains(">250</text>", ">0</text>", ">10 s</text>");
  }
}
