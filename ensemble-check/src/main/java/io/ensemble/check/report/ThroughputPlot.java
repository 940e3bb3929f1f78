package io.ensemble.check.report;

import io.ensemble.check.faults.FaultEvent;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import io.ensemble.testkit.history.OperationHistory;
import io.ensemble.testkit.plot.RateChart;
import io.ensemble.testkit.plot.Svg;
import io.ensemble.testkit.plot.Ticks;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * An SVG picture of the number of operations answered per second, with reads apart from others, and
 * with the faults marked below.
 */
final class ThroughputPlot {
  private static final double SHORTEST_BIN_SECONDS = 0.5;
  private static final int MOST_BINS = 200;
  private static final int FEWEST_BINS = 4;
  private static final int WIDTH = 1000;
  private static final int HEIGHT = 260;
  private static final int LEFT = 60;
  private static final int TOP = 24;
  private static final int RIGHT = 20;
  private static final int ROW = 16;
  private static final String READS = "#3b6ea5";
  private static final String OTHERS = "#d9822b";

  private final long begin;
  private final double seconds;
  private final double binSeconds;
  private final double[] reads;
  private final double[] others;

  private ThroughputPlot(OperationHistory history) {
    List<HistoryOperation> all = history.operations();
    begin = all.stream().mapToLong(HistoryOperation::callNanos).min().orElse(0);
    long end = all.stream().mapToLong(ThroughputPlot::last).max().orElse(begin);
    seconds = Math.max(SHORTEST_BIN_SECONDS, (end - begin) / 1e9);
    binSeconds = Math.max(SHORTEST_BIN_SECONDS, Ticks.step(seconds, MOST_BINS));
    int bins = (int) (seconds / binSeconds) + 1;
    reads = new double[bins];
    others = new double[bins];
    for (HistoryOperation operation : all) {
      if (operation.outcome() == HistoryOutcome.OK) {
        boolean read = operation.op().equals("read") || operation.op().equals("contains");
        (read ? reads : others)[(int) (second(last(operation)) / binSeconds)] += 1 / binSeconds;
      }
    }
  }

  private static long last(HistoryOperation operation) {
    Long at = operation.returnNanos();
    return at == null ? operation.callNanos() : at;
  }

  /** Draws the picture. */
  static String draw(OperationHistory history, List<FaultEvent> events) {
    return new ThroughputPlot(history).svg(events);
  }

  private double second(long nanos) {
    return (nanos - begin) / 1e9;
  }

  private String svg(List<FaultEvent> events) {
    List<FaultSpan> spans = spans(events);
    double most = 1;
    for (int i = 0; i < reads.length; i++) {
      most = Math.max(most, Math.max(reads[i], others[i]));
    }
    StringBuilder svg = new StringBuilder();
    svg.append(Svg.begin(WIDTH, HEIGHT + 50 + ROW * spans.size()));
    RateChart rateChart = RateChart.of(LEFT, WIDTH - RIGHT, TOP, HEIGHT, seconds, most);
    svg.append(rateChart.axes());
    if (seconds < FEWEST_BINS * binSeconds) {
      svg.append(
          "<text x=\"%d\" y=\"%d\">too short to be drawn</text>%n"
              .formatted(LEFT + 20, HEIGHT / 2));
    } else {
      svg.append(rateChart.curve(whole(reads), binSeconds, READS));
      svg.append(rateChart.curve(whole(others), binSeconds, OTHERS));
    }
    legend(svg, !spans.isEmpty());
    for (int i = 0; i < spans.size(); i++) {
      mark(svg, rateChart, spans.get(i), HEIGHT + 36 + i * ROW);
    }
    return svg.append("</svg>\n").toString();
  }

  /** Drops the last bin, which the end cuts short and which would look like a decline. */
  private static double[] whole(double[] bins) {
    return Arrays.copyOf(bins, bins.length - 1);
  }

  private static void legend(StringBuilder svg, boolean faults) {
    svg.append(
        "<text x=\"%d\" y=\"14\"><tspan fill=\"%s\">reads</tspan> and <tspan fill=\"%s\">writes, conditional operations, removes</tspan> answered per second</text>%n"
            .formatted(LEFT, READS, OTHERS));
    if (faults) {
      svg.append(
          ("<text x=\"%d\" y=\"14\" text-anchor=\"end\"><tspan fill=\"#c0392b\">fault</tspan>, "
                  + "then <tspan fill=\"#a87510\">recovering</tspan></text>%n")
              .formatted(WIDTH - RIGHT));
    }
  }

  private void mark(StringBuilder svg, RateChart rateChart, FaultSpan span, int y) {
    double from = rateChart.x(second(span.begin));
    double to = rateChart.x(second(span.end));
    svg.append(
        String.format(
            Locale.ROOT,
            "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"#c0392b\""
                + " fill-opacity=\"0.08\"/><rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"9\""
                + " fill=\"#c0392b\" fill-opacity=\"0.6\"/>",
            from,
            TOP,
            Math.max(1, to - from),
            HEIGHT - TOP,
            from,
            y - 9,
            Math.max(2, to - from)));
    if (span.whole > span.end) {
      svg.append(
          String.format(
              Locale.ROOT,
              "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"9\" fill=\"#d9a02b\""
                  + " fill-opacity=\"0.5\"/>",
              to,
              y - 9,
              Math.max(1, rateChart.x(second(span.whole)) - to)));
    }
    boolean late = from > WIDTH * 0.7;
    svg.append(
        String.format(
            Locale.ROOT,
            "<text x=\"%.1f\" y=\"%d\" font-size=\"11\"%s>%s</text>%n",
            late ? from - 4 : rateChart.x(second(Math.max(span.end, span.whole))) + 4,
            y,
            late ? " text-anchor=\"end\"" : "",
            Svg.text(span.what)));
  }

  /** The time of a fault from its beginning to its end, and until the damage was repaired. */
  private static final class FaultSpan {
    private final String what;
    private final long begin;
    private long end;
    private long whole;

    FaultSpan(FaultEvent event) {
      what = event.what();
      begin = event.atNanos();
      end = begin;
      whole = begin;
    }
  }

  private static List<FaultSpan> spans(List<FaultEvent> events) {
    Map<List<Object>, FaultSpan> spans = new LinkedHashMap<>();
    for (FaultEvent event : events) {
      List<Object> id = List.of(event.round(), event.kind(), event.site());
      FaultSpan span = spans.computeIfAbsent(id, fresh -> new FaultSpan(event));
      switch (event.phase()) {
        case FaultEvent.BEGIN -> {}
        case FaultEvent.END -> span.end = event.atNanos();
        default -> span.whole = event.atNanos();
      }
    }
    return new ArrayList<>(spans.values());
  }
}
