package io.ensemble.cli.trace;

import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.cli.output.TextTable;
import io.ensemble.testkit.trace.MalformedTraceException;
import io.ensemble.testkit.trace.SyntheticTrace;
import io.ensemble.testkit.trace.TraceHeader;
import io.ensemble.testkit.trace.TraceSummary;
import io.ensemble.testkit.trace.WikiBenchTrace;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "wikibench",
    description = {
      "Create a trace of a log of accesses to Wikipedia, in the format of WikiBench.",
      "A line has a counter, a time in seconds, a URL and a flag: save, or -. A page is a key, a "
          + "saved edit is a version, other accesses are reads. A log has no contents: values are "
          + "made up, as of trace synthetic, and the first access to a page makes its first "
          + "version. Other hosts, other addresses than pages and malformed lines are omitted, and "
          + "counted."
    })
final class TraceWikiBenchCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();

  @Parameters(
      arity = "0..1",
      paramLabel = "LOG",
      description = "File of the log; unpacked if its name ends with .gz.")
  @Nullable Path log;

  @Option(
      names = "--sample",
      description = "Read the sample that comes with the command, 60 made up accesses.")
  boolean sample;

  @Mixin TraceOutputOption output = new TraceOutputOption();

  @Option(
      names = "--host",
      paramLabel = "HOST",
      defaultValue = WikiBenchTrace.Options.HOST,
      description = "Host whose pages are read; default: ${DEFAULT-VALUE}.")
  String host = WikiBenchTrace.Options.HOST;

  @Option(names = "--limit", paramLabel = "N", description = "Only the first N lines of the log.")
  @Nullable Long limit;

  @Option(
      names = "--mean-bytes",
      paramLabel = "N",
      defaultValue = "" + SyntheticTrace.MEAN_BYTES,
      description = "Mean size of a value in bytes; default: ${DEFAULT-VALUE}.")
  int meanBytes;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Seed of the values; default: ${DEFAULT-VALUE}.")
  long seed;

  /** The output of {@code --json}. */
  record Report(String file, WikiBenchTrace.Report log, TraceSummary trace) {}

  @Override
  public Integer call() {
    if (sample == (log != null)) {
      throw new CommandException(ExitCode.USAGE, "give either LOG or --sample");
    }
    if (limit != null && limit < 1) {
      throw new CommandException(ExitCode.USAGE, "--limit must be 1 or more; got " + limit);
    }
    if (meanBytes < 1 || host.isBlank()) {
      throw new CommandException(
          ExitCode.USAGE, "--mean-bytes must be 1 or more, and --host must be named");
    }
    WikiBenchTrace.Options options =
        new WikiBenchTrace.Options(host, meanBytes, seed, limit == null ? 0 : limit);
    Path read = log;
    if (read != null && !Files.isRegularFile(read)) {
      throw new CommandException("the log does not exist, or is no file: " + read);
    }
    TraceHeader header =
        WikiBenchTrace.header(read == null ? "sample" : read.toAbsolutePath().toString(), options);
    try {
      TraceFile.WrittenTrace<WikiBenchTrace.Report> made =
          TraceFile.write(
              output.file,
              header,
              sink ->
                  read == null
                      ? WikiBenchTrace.readSample(options, sink)
                      : WikiBenchTrace.read(read, options, sink));
      reporting.report(
          new Report(output.file.toString(), made.report(), made.summary()),
          out -> show(out, output.file, made));
      return ExitCode.OK;
    } catch (MalformedTraceException e) {
      throw new CommandException("%s: %s".formatted(read, e.getMessage()), e);
    }
  }

  private static void show(
      PrintWriter out, Path file, TraceFile.WrittenTrace<WikiBenchTrace.Report> made) {
    WikiBenchTrace.Report log = made.report();
    TextTable.line(out, "trace", file.toString());
    TextTable.line(
        out,
        "log",
        "%,d lines: %,d saved edits, %,d reads".formatted(log.lines(), log.saves(), log.reads()));
    TextTable.line(
        out,
        "omitted",
        "%,d of other hosts, %,d not of pages, %,d names over 600 bytes, %,d malformed"
            .formatted(log.otherHosts(), log.otherRequests(), log.longNames(), log.malformed()));
    TraceFile.show(out, made.summary());
  }
}
