package io.ensemble.benchmarks.objects;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.benchmarks.contest.Latencies;
import io.ensemble.benchmarks.contest.RatioSpread;
import java.util.List;
import org.junit.jupiter.api.Test;

class CurvePlotTest {

  private static ObjectContest.Line line(
      String contestant, int oneWay, int size, double perSecond) {
    return new ObjectContest.Line(
        contestant,
        oneWay,
        size,
        1,
        20,
        perSecond,
        RatioSpread.of(List.of(1.0)),
        new Latencies(1, 1, 1, 1, 1, 1, 1),
        0);
  }

  @Test
  void eachContestantHasACurveInThePanelOfEachDistance() {
    List<ObjectContest.Line> lines =
        List.of(
            line("a & b", 0, 1, 100),
            line("a & b", 0, 10, 1_000),
            line("other", 0, 1, 10),
            line("other", 0, 10, 10),
            line("a & b", 2, 1, 10),
            line("other", 2, 1, 0));

    String svg = CurvePlot.draw("rate", "clients", lines, ObjectContest.Line::perSecond);

    assertThat(svg).contains("a &amp; b", "servers 0 ms away", "servers 2 ms away", "1,000");
    assertThat(svg.split("<polyline", -1)).hasSize(5);
    // The axis runs from 10 to 1,000, from edge to edge, like that of the sizes.
    assertThat(svg).contains("points=\"80.0,146.0 860.0,26.0\"");
  }

  @Test
  void aFigureThatIsNothingHasNoPlaceOnALogarithmicAxis() {
    String svg =
        CurvePlot.draw(
            "rate", "clients", List.of(line("a", 0, 1, 0)), ObjectContest.Line::perSecond);

    assertThat(svg).contains("points=\"\"").doesNotContain("NaN", "Infinity");
  }
}
