package io.ensemble.check.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.check.faults.FaultEvent;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.check.process.JsonLines;
import io.ensemble.check.process.JsonOutput;
import io.ensemble.testkit.history.HistoryMeta;
import io.ensemble.testkit.history.HistoryWriter;
import io.ensemble.testkit.link.SiteLinkReport;
import io.ensemble.testkit.listen.StreamSummary;
import io.ensemble.testkit.plot.Svg;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Writes the files of a run. */
public final class ReportFiles {
  /** The output of {@code --json}; written last. */
  public static final String SUMMARY = "summary.json";

  static final String HISTORY = "history.jsonl";
  static final String WINDOW = HISTORY + ".window.jsonl";
  static final String FAULTS = "faults.jsonl";
  static final String PAGE = "report.html";
  static final String THROUGHPUT = "throughput.svg";
  static final String VIOLATION = "violation.svg";

  /** The possible files of a report. */
  static final List<String> NAMES =
      List.of(
          SUMMARY, HISTORY, HISTORY + ".meta.json", WINDOW, FAULTS, PAGE, THROUGHPUT, VIOLATION);

  private ReportFiles() {}

  /**
   * Creates the directory, and checks that a report can be written there. Removes no file.
   *
   * @throws CommandException with {@link ExitCode#USAGE} if a file of another origin has the name
   *     of a report file, or if the directory cannot be written to
   */
  public static void prepare(Path directory) {
    ReportManifest.claim(directory, NAMES);
  }

  /**
   * Checks that a history can be written, before there is one. Changes no file.
   *
   * @throws CommandException with {@link ExitCode#USAGE} if it cannot
   */
  public static void requireWritable(Path history) {
    for (Path file : List.of(history, HistoryMeta.beside(history), WindowFile.beside(history))) {
      try {
        if (Files.isDirectory(file)) {
          throw new IOException("the path is a directory");
        }
        if (!Files.exists(file)) {
          Files.createFile(file);
          Files.delete(file);
        } else if (!Files.isWritable(file)) {
          throw new AccessDeniedException(file.toString());
        }
      } catch (IOException e) {
        throw new CommandException(
            ExitCode.USAGE,
            "--history cannot be written: " + file + ": " + e + "; give another file");
      }
    }
  }

  /**
   * Refuses to judge a history at a path where its report would be written.
   *
   * @throws CommandException with {@link ExitCode#USAGE} if one of the histories is at such a path
   */
  public static void requireElsewhere(List<Path> histories, Path directory) {
    for (Path history : histories) {
      Path file = history.toAbsolutePath().normalize();
      if (NAMES.stream()
          .anyMatch(name -> file.equals(directory.toAbsolutePath().normalize().resolve(name)))) {
        throw new CommandException(
            ExitCode.USAGE,
            "--report would overwrite the history to judge: "
                + history
                + "; give another directory");
      }
    }
  }

  /**
   * Writes the report and replaces a former one. The former summary is removed first: if a summary
   * exists, the other files belong to it.
   *
   * @param command the command line
   */
  public static void write(Path directory, CheckResult result, String version, String command) {
    try {
      Files.deleteIfExists(directory.resolve(SUMMARY));
      history(directory.resolve(HISTORY), result, version);
      String faults =
          result.events().stream()
              .map(event -> JsonLines.json(event) + "\n")
              .collect(Collectors.joining());
      Files.writeString(directory.resolve(FAULTS), faults);
      String throughput = ThroughputPlot.draw(result.history(), result.events());
      Files.writeString(directory.resolve(THROUGHPUT), throughput);
      String violation = "";
      if (result.finding().culprit() != null) {
        violation = TimelineSvg.draw(result.finding().around(), result.finding().culprit());
        Files.writeString(directory.resolve(VIOLATION), violation);
      } else {
        Files.deleteIfExists(directory.resolve(VIOLATION));
      }
      Files.writeString(
          directory.resolve(PAGE), page(result, throughput, violation, version, command));
      Files.write(
          directory.resolve(SUMMARY),
          JsonOutput.mapper().writeValueAsString(result.report()).getBytes(UTF_8));
    } catch (IOException e) {
      throw new CommandException("cannot write the report in " + directory + ": " + e, e);
    }
  }

  /** Writes the history, and next to it the description of its run. */
  public static void history(Path file, CheckResult result, String version) throws IOException {
    HistoryWriter.write(result.history(), file);
    WindowFile.writeBeside(file, result.window());
    CheckReport report = result.report();
    new HistoryMeta(
            report.seed(),
            report.mode(),
            report.sites(),
            result.events().stream()
                .map(e -> new HistoryMeta.Fault(e.atNanos(), e.phase() + " " + e.what()))
                .toList(),
            version,
            System.getProperty("ensemble.commit", "unknown"))
        .writeBeside(file);
  }

  private static String page(
      CheckResult result, String throughput, String violation, String version, String command) {
    CheckReport report = result.report();
    CheckReport.Operations counts = report.operations();
    StringBuilder page = new StringBuilder();
    page.append(
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8"><title>ensemble check</title>
        <style>body{font-family:sans-serif;max-width:1060px;margin:2em auto;color:#222}
        table{border-collapse:collapse}td,th{padding:.2em .8em;border-bottom:1px solid #ddd;text-align:left}
        pre{background:#f6f6f6;padding:1em;overflow-x:auto}.typed{white-space:pre-wrap}.bad{color:#c0392b}.good{color:#2d7d46}</style></head><body>
        """);
    page.append(
        "<h1>%s: <span class=\"%s\">%s</span></h1>%n"
            .formatted(
                report.mode(),
                report.ok() ? "good" : "bad",
                report.ok() ? "the guarantee held" : "not shown, or violated"));
    page.append("<pre class=\"typed\">").append(Svg.text(command)).append("</pre>\n<table>\n");
    row(page, "guarantee", report.guarantee());
    row(page, "verdict", report.verdict());
    row(page, "sites", String.join(", ", report.sites()));
    row(page, "seed", "" + report.seed());
    row(page, "operations answered", "%,d".formatted(counts.completed()));
    row(page, "of these required", "%,d".formatted(counts.enough()));
    row(page, "refused, not applied", "%,d".formatted(counts.refused()));
    row(page, "outcome unknown", "%,d".formatted(counts.unknown()));
    row(page, "in the history", "%,d".formatted(counts.recorded()));
    row(page, "duration of the load", String.format(Locale.ROOT, "%.1f s", report.seconds()));
    row(page, "faults", report.faultsInWords());
    row(page, "sites refilled", "" + report.refilled());
    row(page, "of these, with a permanently refusing store", "" + report.discarded());
    row(page, "while one site was down", report.oneSiteDead().inWords());
    StreamSummary streams = report.streams();
    if (streams != null) {
      row(page, "streams", StreamVerdict.words(streams));
    }
    for (SiteLinkReport line : report.lines()) {
      row(page, "link to " + line.site(), words(line));
    }
    row(page, "version", version);
    page.append("</table>\n");
    if (!report.problems().isEmpty()) {
      page.append("<h2 class=\"bad\">Problems</h2>\n<ul>");
      report.problems().forEach(p -> page.append("<li>").append(Svg.text(p)).append("</li>"));
      page.append("</ul>\n");
    }
    CheckReport.Violation found = report.violation();
    if (found != null) {
      page.append(
          "<h2>Key %s, line %d of %s: %s</h2>%n"
              .formatted(
                  Svg.text(found.key()), found.line(), HISTORY, Svg.text(found.operation())));
      page.append(violation);
      page.append("<pre>").append(Svg.text(found.explanation())).append("</pre>\n");
    }
    page.append("<h2>Throughput and faults</h2>\n").append(throughput);
    page.append(
        "<p>Red: a fault is active. Yellow: the fault has ended, and the site is refilled or "
            + "rebalances.</p>\n");
    page.append("<h2>Faults</h2>\n<table><tr><th>at</th><th>round</th><th></th><th></th></tr>\n");
    long begin =
        result.history().operations().stream().mapToLong(o -> o.callNanos()).min().orElse(0);
    for (FaultEvent event : result.events()) {
      page.append(
          String.format(
              Locale.ROOT,
              "<tr><td>%.2f s</td><td>%d</td><td>%s</td><td>%s</td></tr>%n",
              (event.atNanos() - begin) / 1e9,
              event.round(),
              event.phase(),
              Svg.text(event.what())));
    }
    return page.append("</table>\n</body></html>\n").toString();
  }

  private static String words(SiteLinkReport line) {
    return String.format(
        Locale.ROOT,
        "round trip p50 %.2f ms, p99 %.2f ms; there %.2f Mbit/s, back %.2f Mbit/s; configured: "
            + "%.1f ms%s",
        line.roundTripP50Millis(),
        line.roundTripP99Millis(),
        line.requestMegabits(),
        line.replyMegabits(),
        line.wantedRoundTripMillis(),
        line.wantedMegabits() == 0
            ? ""
            : String.format(Locale.ROOT, ", %.1f Mbit/s", line.wantedMegabits()));
  }

  private static void row(StringBuilder page, String name, String value) {
    page.append("<tr><td>%s</td><td>%s</td></tr>%n".formatted(name, Svg.text(value)));
  }
}
