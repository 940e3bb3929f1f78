package io.ensemble.benchmarks.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.benchmarks.tree.LinePlot.Panel;
import io.ensemble.benchmarks.tree.LinePlot.Point;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LinePlotTest {

  @Test
  void eachContestantHasALineInEachPanelFromEdgeToEdge() {
    String svg =
        LinePlot.draw(
            List.of(
                new Panel(
                    "a & b",
                    "client",
                    true,
                    Map.of("one", List.of(new Point(0, 1), new Point(128, 100)))),
                new Panel(
                    "share",
                    "ms",
                    false,
                    Map.of("one", List.of(new Point(0, 0), new Point(50, 100))))));

    assertThat(svg).contains("a &amp; b", ">128<", ">100<");
    assertThat(svg.split("points=\"70.0,246.0 880.0,26.0\"", -1)).hasSize(2);
    assertThat(svg.split("points=\"70.0,532.0 880.0,312.0\"", -1)).hasSize(2);
  }

  @Test
  void aPanelWithoutPointsHasNoInvalidNumbers() {
    for (boolean isLogarithmic : new boolean[] {false, true}) {
      String svg =
          LinePlot.draw(
              List.of(
                  new Panel("none", "s", isLogarithmic, Map.of("one", List.of(new Point(0, 0))))));

      assertThat(svg).doesNotContain("NaN", "Infinity");
    }
  }
}
