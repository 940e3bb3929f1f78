package io.ensemble.testkit.plot;

import java.util.Locale;

/**
 * The area of a picture that shows rates over seconds.
 *
 * @param left its left edge, in pixels
 * @param right its right edge
 * @param top the position of the greatest rate
 * @param bottom the position of rate 0
 * @param seconds its length, above 0
 * @param most the greatest rate, a multiple of {@code step}
 * @param step the distance between lines
 */
public record RateChart(
    int left, int right, int top, int bottom, double seconds, double most, double step) {

  private static final int MOST_TICKS = 5;
  private static final int MOST_TIMES = 12;

  /** A chart whose greatest rate is the first round number that is not below {@code most}. */
  public static RateChart of(
      int left, int right, int top, int bottom, double seconds, double most) {
    double step = Ticks.step(most, MOST_TICKS);
    return new RateChart(left, right, top, bottom, seconds, step * Math.ceil(most / step), step);
  }

  /** The position of a second; values beyond an end are at that end. */
  public double x(double second) {
    return left + Math.max(0, Math.min(second, seconds)) / seconds * (right - left);
  }

  /** The position of a rate. */
  public double y(double rate) {
    return bottom - rate / most * (bottom - top);
  }

  /** The grid lines, with their rates at the left and the seconds below. */
  public String axes() {
    StringBuilder svg = new StringBuilder();
    for (double tick = 0; tick < most + step / 2; tick += step) {
      svg.append(
          String.format(
              Locale.ROOT,
              "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%,.0f</text>%n",
              left,
              right,
              y(tick),
              y(tick),
              left - 6,
              y(tick) + 4,
              tick));
    }
    double every = Math.max(1, Ticks.seconds(seconds, MOST_TIMES));
    for (double second = 0; second <= seconds; second += every) {
      svg.append(
          String.format(
              Locale.ROOT,
              "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.0f s</text>%n",
              x(second),
              bottom + 16,
              second));
    }
    return svg.toString();
  }

  /** A curve through the middles of bins. */
  public String curve(double[] rates, double binSeconds, String colour) {
    StringBuilder points = new StringBuilder();
    for (int i = 0; i < rates.length; i++) {
      points.append(
          String.format(Locale.ROOT, "%.1f,%.1f ", x((i + 0.5) * binSeconds), y(rates[i])));
    }
    return "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" points=\"%s\"/>%n"
        .formatted(colour, points.toString().strip());
  }
}
