package io.ensemble.benchmarks.versions;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.benchmarks.versions.PanelPlot.Curve;
import io.ensemble.benchmarks.versions.PanelPlot.Panel;
import io.ensemble.benchmarks.versions.PanelPlot.Point;
import java.util.List;
import org.junit.jupiter.api.Test;

class PanelPlotTest {

  @Test
  void everyCurveIsThereAndNothingIsNoNumber() {
    Curve rising = new Curve("a <b>", List.of(new Point(1_000, 1), new Point(100_000, 30)));
    Curve single = new Curve("one", List.of(new Point(10_000, 5)));

    String svg =
        PanelPlot.logarithmic(
            "versions",
            List.of(new Panel("add", List.of(rising, single)), new Panel("get", List.of(single))));

    assertThat(svg).contains("a &lt;b&gt;", "add", "get", "10,000", "</svg>");
    assertThat(svg.split("<polyline", -1)).hasSize(4);
    assertThat(svg).doesNotContain("NaN").doesNotContain("Infinity");
  }

  @Test
  void whereNothingWasMeasuredAFrameIsDrawn() {
    assertThat(PanelPlot.between("ms", 90, 100, List.of(new Panel("empty", List.of()))))
        .contains("empty", "</svg>")
        .doesNotContain("NaN");
  }
}
