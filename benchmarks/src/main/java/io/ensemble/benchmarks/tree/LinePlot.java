package io.ensemble.benchmarks.tree;

import io.ensemble.testkit.plot.Svg;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** An SVG picture with panels one below the other, each with a line for each contestant. */
final class LinePlot {

  /** A point. */
  record Point(double x, double y) {}

  /**
   * A panel. The horizontal axis is linear and begins at 0.
   *
   * @param title what is shown, with the unit of the vertical axis
   * @param across the meaning of the horizontal axis, with its unit
   * @param isLogarithmic whether the vertical axis is; otherwise it begins at 0
   * @param lines the points of each contestant
   */
  record Panel(String title, String across, boolean isLogarithmic, Map<String, List<Point>> lines) {

    double mostX() {
      return most(lines.values().stream().flatMap(List::stream).mapToDouble(Point::x).toArray());
    }

    double[] ys() {
      return lines.values().stream()
          .flatMap(List::stream)
          .mapToDouble(Point::y)
          .filter(y -> !isLogarithmic || y > 0)
          .sorted()
          .toArray();
    }
  }

  private static final int WIDTH = 900;
  private static final int LEFT = 70;
  private static final int RIGHT = 20;
  private static final int HEIGHT = 220;
  private static final int TITLE = 26;
  private static final int BELOW = 40;
  private static final int MARKS = 5;
  private static final List<String> COLOURS =
      List.of("#c0392b", "#3b6ea5", "#d9822b", "#4a8f4a", "#7aa6d1");

  private LinePlot() {}

  private static double most(double[] values) {
    double most = 0;
    for (double value : values) {
      most = Math.max(most, value);
    }
    return most <= 0 ? 1 : most;
  }

  /** Draws the panels, and the names of the contestants. */
  static String draw(List<Panel> panels) {
    List<String> contestants =
        panels.stream().flatMap(panel -> panel.lines().keySet().stream()).distinct().toList();
    int each = TITLE + HEIGHT + BELOW;
    int legend = panels.size() * each;
    StringBuilder svg =
        new StringBuilder(Svg.begin(WIDTH, legend + Svg.LEGEND_LINE * (contestants.size() + 1)));
    for (int i = 0; i < panels.size(); i++) {
      panel(svg, panels.get(i), i * each, contestants);
    }
    svg.append(Svg.legend(LEFT, legend, contestants, COLOURS));
    return svg.append("</svg>\n").toString();
  }

  private static void panel(StringBuilder svg, Panel panel, int top, List<String> contestants) {
    int bottom = top + TITLE + HEIGHT;
    svg.append(
        "<text x=\"%d\" y=\"%d\">%s</text>%n".formatted(LEFT, top + 16, Svg.text(panel.title())));
    double[] ys = panel.ys();
    double low = panel.isLogarithmic() && ys.length > 0 ? Math.floor(Math.log10(ys[0])) : 0;
    double high =
        panel.isLogarithmic() ? Math.max(low + 1, Math.ceil(Math.log10(most(ys)))) : most(ys);
    double marks = panel.isLogarithmic() ? high - low : MARKS;
    for (int i = 0; i <= marks; i++) {
      double at = low + (high - low) * i / marks;
      double y = bottom - (at - low) / (high - low) * HEIGHT;
      String number = number(panel.isLogarithmic() ? Math.pow(10, at) : at);
      svg.append(Svg.horizontalMark(LEFT, WIDTH - RIGHT, y, number));
    }
    double mostX = panel.mostX();
    for (int i = 0; i <= MARKS; i++) {
      svg.append(
          String.format(
              Locale.ROOT,
              "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>%n",
              x(mostX * i / MARKS, mostX),
              bottom + 16,
              number(mostX * i / MARKS)));
    }
    svg.append(
        "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>%n"
            .formatted(WIDTH - RIGHT, bottom + 32, Svg.text(panel.across())));
    panel
        .lines()
        .forEach(
            (contestant, points) -> {
              List<String> shown = new ArrayList<>();
              for (Point point : points) {
                double y = panel.isLogarithmic() ? Math.log10(point.y()) : point.y();
                if (!panel.isLogarithmic() || point.y() > 0) {
                  shown.add(
                      String.format(
                          Locale.ROOT,
                          "%.1f,%.1f",
                          x(point.x(), mostX),
                          bottom - (y - low) / (high - low) * HEIGHT));
                }
              }
              svg.append(
                  "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"%s\"/>%n"
                      .formatted(colour(contestants.indexOf(contestant)), String.join(" ", shown)));
            });
  }

  private static String number(double value) {
    return value >= 10 || value == Math.rint(value)
        ? "%,.0f".formatted(value)
        : String.format(Locale.ROOT, value < 0.1 ? "%.3f" : "%.2f", value);
  }

  private static double x(double value, double most) {
    return LEFT + value / most * (WIDTH - RIGHT - LEFT);
  }

  private static String colour(int number) {
    return COLOURS.get(number % COLOURS.size());
  }
}
