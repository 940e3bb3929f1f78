package io.ensemble.check.report;

import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.plot.Svg;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** An SVG timeline of operations: one row for each, time to the right, not to scale. */
final class TimelineSvg {
  private static final int ROW = 22;
  private static final int LABELS = 420;
  private static final int BARS = 640;
  private static final int MARGIN = 10;

  private TimelineSvg() {}

  /** Draws the operations, in the order given, with the culprit in red. */
  static String draw(List<HistoryOperation> operations, @Nullable HistoryOperation culprit) {
    TreeSet<Long> times = new TreeSet<>();
    for (HistoryOperation operation : operations) {
      times.add(operation.callNanos());
      Long end = operation.returnNanos();
      if (end != null) {
        times.add(end);
      }
    }
    List<Long> columns = new ArrayList<>(times);
    double step = (double) BARS / Math.max(1, columns.size());
    StringBuilder svg = new StringBuilder();
    int height = operations.size() * ROW + 2 * MARGIN;
    svg.append(Svg.begin(LABELS + BARS + 2 * MARGIN, height));
    int row = 0;
    for (HistoryOperation operation : operations) {
      boolean isCulprit = operation.equals(culprit);
      String colour = isCulprit ? "#c0392b" : "#3b6ea5";
      int y = MARGIN + row * ROW;
      double from = columns.indexOf(operation.callNanos()) * step;
      Long end = operation.returnNanos();
      double to = end == null ? BARS : columns.indexOf(end) * step;
      String name = "client " + operation.client() + "  " + operation.describe();
      svg.append(
          "<text x=\"%d\" y=\"%d\" fill=\"%s\"%s>%s</text>%n"
              .formatted(
                  MARGIN,
                  y + 15,
                  isCulprit ? colour : "#222",
                  isCulprit ? " font-weight=\"bold\"" : "",
                  Svg.text(name)));
      svg.append(
          String.format(
              Locale.ROOT,
              "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"12\" rx=\"3\""
                  + " fill=\"%s\"%s><title>%s..%s</title></rect>%n",
              LABELS + from,
              y + 5,
              Math.max(3, to - from),
              colour,
              end == null ? " fill-opacity=\"0.35\"" : "",
              operation.callNanos(),
              end == null ? "?" : end.toString()));
      row++;
    }
    return svg.append("</svg>\n").toString();
  }
}
