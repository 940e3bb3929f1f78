package io.ensemble.benchmarks.versions;

import io.ensemble.testkit.plot.Svg;
import java.util.List;
import java.util.Locale;

/** An SVG picture of several figures as bars. */
final class BarPlot {

  /** A bar. */
  record Bar(String name, double length) {}

  private static final int WIDTH = 900;
  private static final int NAMES = 330;
  private static final int LONGEST = WIDTH - NAMES - 80;
  private static final int HEIGHT = 22;
  private static final int TITLE = 30;

  private BarPlot() {}

  static String draw(String what, List<Bar> bars) {
    double most = bars.stream().mapToDouble(Bar::length).max().orElse(1);
    StringBuilder svg =
        new StringBuilder(Svg.begin(WIDTH, TITLE + HEIGHT * bars.size() + HEIGHT / 2))
            .append("<text x=\"10\" y=\"18\">%s</text>%n".formatted(Svg.text(what)));
    for (int i = 0; i < bars.size(); i++) {
      double width = LONGEST * bars.get(i).length() / most;
      int top = TITLE + i * HEIGHT;
      svg.append(
          String.format(
              Locale.ROOT,
              "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text><rect x=\"%d\" y=\"%d\""
                  + " width=\"%.1f\" height=\"%d\" fill=\"#3b6ea5\"/><text x=\"%.1f\""
                  + " y=\"%d\">%.2f</text>%n",
              NAMES - 8,
              top + 15,
              Svg.text(bars.get(i).name()),
              NAMES,
              top + 2,
              width,
              HEIGHT - 4,
              NAMES + width + 6,
              top + 15,
              bars.get(i).length()));
    }
    return svg.append("</svg>\n").toString();
  }
}
