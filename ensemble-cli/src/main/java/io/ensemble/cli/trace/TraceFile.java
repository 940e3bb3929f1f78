package io.ensemble.cli.trace;

import io.ensemble.check.process.CommandException;
import io.ensemble.cli.output.Terminal;
import io.ensemble.cli.output.TextTable;
import io.ensemble.testkit.trace.TraceHeader;
import io.ensemble.testkit.trace.TraceRead;
import io.ensemble.testkit.trace.TraceSink;
import io.ensemble.testkit.trace.TraceSummary;
import io.ensemble.testkit.trace.TraceVersion;
import io.ensemble.testkit.trace.TraceWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.UUID;
import java.util.stream.Collectors;

/** A trace that is being made: its file appears only when it is complete. */
final class TraceFile {

  private static final int WIDEST_BAR = 40;

  private TraceFile() {}

  /** Makes the trace. */
  interface TraceSource<R> {
    R all(TraceSink sink) throws IOException;
  }

  /** The report of the source, and a summary of the trace. */
  record WrittenTrace<R>(R report, TraceSummary summary) {}

  static <R> WrittenTrace<R> write(Path file, TraceHeader header, TraceSource<R> source) {
    Path directory = file.toAbsolutePath().getParent();
    if (directory == null || !Files.isDirectory(directory)) {
      throw new CommandException("the directory does not exist: " + directory);
    }
    if (Files.isDirectory(file)) {
      throw new CommandException("expected a file; got a directory: " + file);
    }
    String end = file.toString().endsWith(".gz") ? ".gz" : "";
    Path unfinished = directory.resolve(".trace-" + UUID.randomUUID() + end);
    try {
      TraceSummary.Counting counting = new TraceSummary.Counting();
      R report;
      try (TraceWriter writer = TraceWriter.to(unfinished, header)) {
        report =
            source.all(
                new TraceSink() {
                  @Override
                  public void take(TraceVersion version) throws IOException {
                    writer.take(version);
                    counting.take(version);
                  }

                  @Override
                  public void read(TraceRead read) throws IOException {
                    writer.read(read);
                    counting.read(read);
                  }
                });
      }
      Path made =
          Files.move(
              unfinished,
              file,
              StandardCopyOption.ATOMIC_MOVE,
              StandardCopyOption.REPLACE_EXISTING);
      return new WrittenTrace<>(report, counting.summary());
    } catch (IOException e) {
      throw new CommandException("cannot write %s: %s".formatted(file, e.getMessage()), e);
    } finally {
      removed(unfinished);
    }
  }

  private static void removed(Path unfinished) {
    try {
      boolean unused = Files.deleteIfExists(unfinished);
    } catch (IOException e) {
      throw new CommandException("cannot remove " + unfinished + ": " + e.getMessage(), e);
    }
  }

  static void show(PrintWriter out, TraceSummary summary) {
    TextTable.line(out, "keys", "%,d".formatted(summary.keys()));
    TextTable.line(
        out,
        "versions",
        "%,d, of which %,d remove their key".formatted(summary.versions(), summary.removals()));
    TextTable.line(
        out,
        "values",
        "%,d bytes, %,.1f on average, %,d at most"
            .formatted(summary.payloadBytes(), summary.meanBytes(), summary.largestValueBytes()));
    if (summary.latestReads() + summary.oldReads() + summary.historyReads() > 0) {
      TextTable.line(
          out,
          "reads",
          "%,d of latest versions, %,d of old versions, %,d of lists of versions"
              .formatted(summary.latestReads(), summary.oldReads(), summary.historyReads()));
    }
    if (summary.keys() == 0) {
      return;
    }
    TextTable.line(
        out, "from, to", versionText(summary.least()) + " to " + versionText(summary.largest()));
    TextTable.line(
        out,
        "most versions",
        "%,d: %s".formatted(summary.mostVersions(), escaped(summary.mostVersionsKey())));
    out.println();
    TextTable table = new TextTable("versions of a key", "keys", "share", "");
    for (TraceSummary.Bin bin : summary.versionsPerKey()) {
      table.row(
          bin.from() == bin.to() ? bin.from() : bin.from() + " to " + bin.to(),
          "%,d".formatted(bin.keys()),
          "%.2f %%".formatted(100 * bin.share()),
          "#".repeat((int) Math.ceil(bin.share() * WIDEST_BAR)));
    }
    table.print(out, Terminal.coloursOnOut());
  }

  /** A version, with the moment that it may represent. */
  private static String versionText(long version) {
    try {
      return version + " (" + Instant.ofEpochMilli(version) + ")";
    } catch (DateTimeException e) {
      return String.valueOf(version);
    }
  }

  /** A key on one line, whatever it contains. */
  private static String escaped(String key) {
    return key.codePoints()
        .mapToObj(c -> Character.isISOControl(c) ? "\\u%04x".formatted(c) : Character.toString(c))
        .collect(Collectors.joining());
  }
}
