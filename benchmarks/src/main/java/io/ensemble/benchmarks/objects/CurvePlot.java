package io.ensemble.benchmarks.objects;

import io.ensemble.benchmarks.objects.ObjectContest.Line;
import io.ensemble.testkit.plot.Svg;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * An SVG picture of a figure of each contestant over the number of clients or arrivals, with a
 * panel for each distance. Both axes are logarithmic.
 */
final class CurvePlot {

  private static final int WIDTH = 900;
  private static final int LEFT = 60;
  private static final int RIGHT = 20;
  private static final int PANEL = 240;
  private static final int TITLE = 26;
  private static final int SIZES = 36;
  private static final List<String> COLOURS =
      List.of("#c0392b", "#3b6ea5", "#7aa6d1", "#d9822b", "#4a8f4a", "#8e5ea2");

  private final List<Line> lines;
  private final ToDoubleFunction<Line> figure;
  private final List<Integer> distances;
  private final List<Integer> sizes;
  private final List<String> contestants;
  private final int least;
  private final int most;

  private CurvePlot(List<Line> lines, ToDoubleFunction<Line> figure) {
    this.lines = lines.stream().filter(line -> figure.applyAsDouble(line) > 0).toList();
    this.figure = figure;
    this.distances = lines.stream().map(Line::oneWayMillis).distinct().toList();
    this.sizes = lines.stream().map(Line::size).distinct().sorted().toList();
    this.contestants = lines.stream().map(Line::contestant).distinct().toList();
    double[] figures = this.lines.stream().mapToDouble(figure).sorted().toArray();
    this.least = figures.length == 0 ? 0 : (int) Math.floor(Math.log10(figures[0]));
    this.most =
        figures.length == 0
            ? 1
            : Math.max(least + 1, (int) Math.ceil(Math.log10(figures[figures.length - 1])));
  }

  /**
   * Draws the picture.
   *
   * @param what the meaning of the figure
   * @param size the meaning of the horizontal axis
   */
  static String draw(String what, String size, List<Line> lines, ToDoubleFunction<Line> figure) {
    return new CurvePlot(lines, figure).drawn(what, size);
  }

  private String drawn(String what, String size) {
    int each = TITLE + PANEL + SIZES;
    int legend = distances.size() * each;
    StringBuilder svg =
        new StringBuilder(Svg.begin(WIDTH, legend + Svg.LEGEND_LINE * (contestants.size() + 1)));
    for (int i = 0; i < distances.size(); i++) {
      panel(svg, i * each, what, size, distances.get(i));
    }
    svg.append(Svg.legend(LEFT, legend, contestants, COLOURS));
    return svg.append("</svg>\n").toString();
  }

  private void panel(StringBuilder svg, int top, String what, String size, int distance) {
    svg.append(
        "<text x=\"%d\" y=\"%d\">%s, servers %d ms away one way</text>%n"
            .formatted(LEFT, top + 16, Svg.text(what), distance));
    int bottom = top + TITLE + PANEL;
    for (int power = least; power <= most; power++) {
      double y = y(Math.pow(10, power), bottom);
      double value = Math.pow(10, power);
      String number = power < 0 ? String.valueOf(value) : "%,.0f".formatted(value);
      svg.append(Svg.horizontalMark(LEFT, WIDTH - RIGHT, y, number));
    }
    for (int each : sizes) {
      svg.append(
          String.format(
              Locale.ROOT,
              "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d</text>%n",
              x(each),
              bottom + 16,
              each));
    }
    svg.append(
        "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>%n"
            .formatted(WIDTH - RIGHT, bottom + 30, Svg.text(size)));
    for (int i = 0; i < contestants.size(); i++) {
      svg.append(curve(contestants.get(i), distance, bottom, colour(i)));
    }
  }

  private String curve(String contestant, int distance, int bottom, String colour) {
    List<String> points = new ArrayList<>();
    for (Line line : lines) {
      if (line.contestant().equals(contestant) && line.oneWayMillis() == distance) {
        points.add(
            String.format(
                Locale.ROOT, "%.1f,%.1f", x(line.size()), y(figure.applyAsDouble(line), bottom)));
      }
    }
    return "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"%s\"/>%n"
        .formatted(colour, String.join(" ", points));
  }

  private double x(int size) {
    double first = Math.log(sizes.get(0));
    double all = Math.max(1e-9, Math.log(sizes.get(sizes.size() - 1)) - first);
    return LEFT + 20 + (Math.log(size) - first) / all * (WIDTH - RIGHT - LEFT - 40);
  }

  private double y(double value, int bottom) {
    return bottom - (Math.log10(value) - least) / (most - least) * PANEL;
  }

  private static String colour(int number) {
    return COLOURS.get(number % COLOURS.size());
  }
}
