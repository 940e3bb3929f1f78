package io.ensemble.benchmarks;

import io.ensemble.benchmarks.report.CodeRevision;
import io.ensemble.benchmarks.report.MachineReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The result of a run, as it is written in JSON.
 *
 * @param ok whether every requested operation was executed and succeeded
 * @param flaws the reasons if not, in words
 * @param target the requested number of operations per second; 0 for no limit
 * @param phases the load, then the run; fewer if one could not begin
 * @param failures failed operations by kind
 * @param firstFailures the first of each kind
 * @param rereads WEAK only: reads repeated because a site had not received a key yet
 * @param startedAt as ISO 8601
 */
public record YcsbReport(
    boolean ok,
    List<String> flaws,
    String workload,
    String mode,
    List<String> sites,
    int replication,
    int threads,
    int target,
    int records,
    int operations,
    List<PhaseView> phases,
    Map<String, Integer> failures,
    Map<String, String> firstFailures,
    long rereads,
    String startedAt,
    String command,
    CodeRevision revision,
    MachineReport machine) {

  /** A phase with derived figures. */
  public record PhaseView(
      String phase,
      long asked,
      long done,
      long errors,
      long runMillis,
      double throughputPerSecond,
      Map<String, OperationFigures> operations) {

    static PhaseView of(YcsbPhaseResult result) {
      return new PhaseView(
          result.phase(),
          result.asked(),
          result.done(),
          result.errors(),
          result.runMillis(),
          result.throughputPerSecond(),
          result.operations());
    }
  }

  /** The result for people. */
  public String text() {
    List<String> lines = new ArrayList<>();
    lines.add(
        line(
            "workload %s, mode %s, on %s, %d threads, %d records",
            workload, mode, String.join(" ", sites), threads, records));
    for (PhaseView phase : phases) {
      lines.add(
          line(
              "%-4s %,d operations in %.1f s: %,.0f a second",
              phase.phase(),
              phase.done(),
              phase.runMillis() / 1000.0,
              phase.throughputPerSecond()));
      lines.add(
          line(
              "  %-18s %9s %7s %9s %9s %9s %9s %9s %9s",
              "microseconds", "count", "errors", "mean", "p50", "p95", "p99", "p99.9", "max"));
      phase
          .operations()
          .forEach(
              (name, figures) ->
                  lines.add(
                      line(
                          "  %-18s %9d %7d %9.0f %9.0f %9.0f %9.0f %9.0f %9.0f",
                          name,
                          figures.count(),
                          figures.errors(),
                          figures.meanMicros(),
                          figures.p50Micros(),
                          figures.p95Micros(),
                          figures.p99Micros(),
                          figures.p999Micros(),
                          figures.maxMicros())));
    }
    return String.join(System.lineSeparator(), lines);
  }

  private static String line(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
