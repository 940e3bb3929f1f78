package io.ensemble.benchmarks.outage;

import io.ensemble.benchmarks.contest.OutagePlan;
import io.ensemble.benchmarks.outage.FailureBenchmark.FailureRun;
import io.ensemble.testkit.plot.RateChart;
import io.ensemble.testkit.plot.Svg;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/**
 * An SVG picture of the reads, and below of the writes, answered each second in the runs of one
 * mode, with the instant of the kill marked.
 */
final class FailurePlot {

  private static final int WIDTH = 900;
  private static final int LEFT = 60;
  private static final int RIGHT = 20;
  private static final int PANEL = 200;
  private static final int TITLE = 26;
  private static final int TIMES = 30;

  private FailurePlot() {}

  /**
   * Draws the picture.
   *
   * @param runs of one mode, at least one, of equal length
   */
  static String draw(List<FailureRun> runs) {
    StringBuilder svg = new StringBuilder(Svg.begin(WIDTH, 2 * (PANEL + TITLE + TIMES)));
    panel(svg, 0, "reads", runs, FailureRun::readsPerSecond);
    panel(svg, PANEL + TITLE + TIMES, "writes", runs, FailureRun::writesPerSecond);
    return svg.append("</svg>\n").toString();
  }

  private static void panel(
      StringBuilder svg,
      int top,
      String what,
      List<FailureRun> runs,
      Function<FailureRun, double[]> rates) {
    int seconds = rates.apply(runs.get(0)).length;
    double most = 1;
    for (FailureRun run : runs) {
      for (double rate : rates.apply(run)) {
        most = Math.max(most, rate);
      }
    }
    int bottom = top + TITLE + PANEL;
    RateChart rateChart = RateChart.of(LEFT, WIDTH - RIGHT, top + TITLE, bottom, seconds, most);
    svg.append(rateChart.axes());
    svg.append(
        "<text x=\"%d\" y=\"%d\">%s, %s answered per second:"
            .formatted(LEFT, top + 16, Svg.text(runs.get(0).mode()), what));
    for (FailureRun run : runs) {
      svg.append(" <tspan fill=\"%s\">%s killed</tspan>".formatted(colour(run), run.kill()));
    }
    svg.append("</text>\n");
    for (FailureRun run : runs) {
      svg.append(rateChart.curve(rates.apply(run), 1, colour(run)));
      if (run.kill() != OutagePlan.Kill.NOTHING) {
        svg.append(
            String.format(
                Locale.ROOT,
                "<line x1=\"%1$.1f\" x2=\"%1$.1f\" y1=\"%2$d\" y2=\"%3$d\" stroke=\"%4$s\""
                    + " stroke-dasharray=\"4 3\"/>%n",
                rateChart.x(run.killedAtSecond()),
                top + TITLE,
                bottom,
                colour(run)));
      }
    }
  }

  private static String colour(FailureRun run) {
    return switch (run.kill()) {
      case NOTHING -> "#3b6ea5";
      case NODE -> "#d9822b";
      case SITE -> "#c0392b";
    };
  }
}
