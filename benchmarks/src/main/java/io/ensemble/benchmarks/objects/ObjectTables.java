package io.ensemble.benchmarks.objects;

import io.ensemble.benchmarks.contest.RatioSpread;
import io.ensemble.benchmarks.objects.ObjectContest.Line;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Tables of results in Markdown. */
final class ObjectTables {

  private ObjectTables() {}

  /**
   * Rates, and the ratios of the first contestant's rate to the others'.
   *
   * @param what the word for clients
   */
  static List<String> rates(String what, List<Line> lines) {
    List<String> table = new ArrayList<>();
    table.add(
        "| one way ms | %s | processes | threads | | a second | ratio (min..max) | mean / p50 / p95 / p99 ms |"
            .formatted(what));
    table.add("|---|---|---|---|---|---|---|---|");
    String first = lines.get(0).contestant();
    for (Line line : lines) {
      table.add(row(line, line.contestant().equals(first) ? "" : ratio(line.ratio())));
    }
    return table;
  }

  /** Latencies, for arrivals. */
  static List<String> times(List<Line> lines) {
    List<String> table = new ArrayList<>();
    table.add(
        "| one way ms | arrivals a second | processes | threads | | done a second | not begun |"
            + " mean / p50 / p95 / p99 ms |");
    table.add("|---|---|---|---|---|---|---|---|");
    lines.forEach(line -> table.add(row(line, String.valueOf(line.notBegun()))));
    return table;
  }

  /**
   * @param details the column next to the rate
   */
  private static String row(Line line, String details) {
    return String.format(
        Locale.ROOT,
        "| %d | %d | %d | %d | %s | %,.0f | %s | %s |",
        line.oneWayMillis(),
        line.size(),
        line.processes(),
        line.threads(),
        line.contestant(),
        line.perSecond(),
        details,
        latencies(line));
  }

  private static String ratio(RatioSpread ratio) {
    return String.format(
        Locale.ROOT, "**%.2f** (%.2f..%.2f)", ratio.median(), ratio.min(), ratio.max());
  }

  private static String latencies(Line line) {
    return String.format(
        Locale.ROOT,
        "%.2f / %.2f / %.2f / %.2f",
        line.latencies().meanMicros() / 1e3,
        line.latencies().p50Micros() / 1e3,
        line.latencies().p95Micros() / 1e3,
        line.latencies().p99Micros() / 1e3);
  }
}
