package io.ensemble.benchmarks.versions;

import io.ensemble.testkit.plot.Svg;
import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/**
 * An SVG picture of curves in panels, two next to each other. The horizontal axis is logarithmic;
 * the vertical axis is logarithmic as well, or linear between two numbers.
 */
public final class PanelPlot {

  /** A point of a curve; a coordinate on a logarithmic axis is above zero. */
  public record Point(double x, double y) {}

  /** A curve. */
  public record Curve(String name, List<Point> points) {}

  /** The curves in one frame. */
  public record Panel(String title, List<Curve> curves) {}

  private static final int WIDTH = 1000;
  private static final int LEFT = 64;
  private static final int GAP = 20;
  private static final int FIELD = 190;
  private static final int TITLE = 26;
  private static final int FOOT = 26;
  private static final int COLUMNS = 2;
  private static final List<String> COLOURS =
      List.of(
          "#3b6ea5", "#4a8f4a", "#d9822b", "#c0392b", "#8e5ea2", "#777777", "#17a2b8", "#b8860b",
          "#e377c2", "#2f4f4f", "#9acd32", "#ff7f50");

  private final List<Panel> panels;
  private final List<String> names;
  private final boolean logarithmic;
  private final double left;
  private final double right;
  private final double low;
  private final double high;
  private final double[] marks;

  private PanelPlot(List<Panel> panels, boolean logarithmic, double low, double high) {
    this.panels = panels;
    this.logarithmic = logarithmic;
    this.names =
        panels.stream().flatMap(p -> p.curves().stream()).map(Curve::name).distinct().toList();
    double[] across = points(panels).mapToDouble(p -> Math.log10(p.x())).sorted().toArray();
    this.left = across.length == 0 ? 0 : across[0];
    this.right = across.length == 0 ? 1 : Math.max(left + 0.1, across[across.length - 1]);
    this.low = low;
    this.high = high;
    this.marks = marks(panels, left, right);
  }

  /** Powers of ten or, if the range contains hardly any, the abscissas of the points. */
  private static double[] marks(List<Panel> panels, double left, double right) {
    return right - left < 1
        ? points(panels).mapToDouble(Point::x).distinct().toArray()
        : DoubleStream.iterate(
                Math.ceil(left - 1e-9), power -> power <= right + 1e-9, power -> power + 1)
            .map(power -> Math.pow(10, power))
            .toArray();
  }

  private static Stream<Point> points(List<Panel> panels) {
    return panels.stream().flatMap(p -> p.curves().stream()).flatMap(c -> c.points().stream());
  }

  /** Both axes logarithmic. */
  public static String logarithmic(String across, List<Panel> panels) {
    double[] up = points(panels).mapToDouble(p -> Math.log10(p.y())).sorted().toArray();
    double low = up.length == 0 ? 0 : Math.floor(up[0]);
    double high = up.length == 0 ? 1 : Math.max(low + 1, Math.ceil(up[up.length - 1]));
    return new PanelPlot(panels, true, low, high).drawn(across);
  }

  /** A picture whose vertical axis goes from {@code low} to {@code high}. */
  public static String between(String across, double low, double high, List<Panel> panels) {
    return new PanelPlot(panels, false, low, high).drawn(across);
  }

  private int width() {
    return WIDTH / COLUMNS - LEFT - GAP;
  }

  private String drawn(String across) {
    int rows = (panels.size() + COLUMNS - 1) / COLUMNS;
    int bottom = rows * (TITLE + FIELD + FOOT);
    StringBuilder svg =
        new StringBuilder(Svg.begin(WIDTH, bottom + Svg.LEGEND_LINE * (names.size() + 2)));
    for (int i = 0; i < panels.size(); i++) {
      svg.append(
          "<g transform=\"translate(%d %d)\">%n"
              .formatted(i % COLUMNS * (WIDTH / COLUMNS), i / COLUMNS * (TITLE + FIELD + FOOT)));
      draw(svg, panels.get(i));
      svg.append("</g>\n");
    }
    svg.append(
        "<text x=\"%d\" y=\"%d\">across: %s</text>%n"
            .formatted(LEFT, bottom + Svg.LEGEND_LINE, Svg.text(across)));
    svg.append(Svg.legend(LEFT, bottom + Svg.LEGEND_LINE, names, COLOURS));
    return svg.append("</svg>\n").toString();
  }

  private void draw(StringBuilder svg, Panel panel) {
    svg.append("<text x=\"%d\" y=\"17\">%s</text>%n".formatted(LEFT, Svg.text(panel.title())));
    double step = logarithmic ? 1 : (high - low) / 5;
    for (double at = low; at <= high + step / 2; at += step) {
      double y = TITLE + FIELD - (at - low) / (high - low) * FIELD;
      String number = number(logarithmic ? Math.pow(10, at) : at);
      svg.append(Svg.horizontalMark(LEFT, LEFT + width(), y, number));
    }
    for (double at : marks) {
      svg.append(
          String.format(
              Locale.ROOT,
              "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>%n",
              x(at),
              TITLE + FIELD + 16,
              number(at)));
    }
    for (Curve curve : panel.curves()) {
      svg.append(drawn(curve));
    }
  }

  private String drawn(Curve curve) {
    StringBuilder points = new StringBuilder();
    for (Point point : curve.points()) {
      points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x(point.x()), y(point.y())));
    }
    return "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\" points=\"%s\"/>%n"
        .formatted(colour(curve.name()), points.toString().strip());
  }

  private double x(double value) {
    return LEFT + (Math.log10(value) - left) / (right - left) * width();
  }

  private double y(double value) {
    double at = logarithmic ? Math.log10(value) : value;
    return TITLE + FIELD - (Math.max(low, Math.min(high, at)) - low) / (high - low) * FIELD;
  }

  private static String number(double value) {
    return value >= 1 && value == Math.rint(value)
        ? String.format(Locale.ROOT, "%,.0f", value)
        : String.format(Locale.ROOT, "%.3g", value).replaceAll("0+$", "").replaceAll("\\.$", "");
  }

  private String colour(String name) {
    return COLOURS.get(names.indexOf(name) % COLOURS.size());
  }
}
