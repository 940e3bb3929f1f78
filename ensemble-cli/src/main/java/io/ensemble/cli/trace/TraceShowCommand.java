package io.ensemble.cli.trace;

import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.cli.output.TextTable;
import io.ensemble.testkit.trace.MalformedTraceException;
import io.ensemble.testkit.trace.TraceReader;
import io.ensemble.testkit.trace.TraceSummary;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(name = "show", description = "Summarize a trace.")
final class TraceShowCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();

  @Parameters(paramLabel = "FILE", description = "File of the trace.")
  Path file = Path.of("");

  /** The output of {@code --json}. */
  record Report(String file, String source, String origin, TraceSummary trace) {}

  @Override
  public Integer call() {
    TraceSummary.Counting counting = new TraceSummary.Counting();
    try (TraceReader reader = TraceReader.open(file)) {
      reader.all(counting);
      TraceSummary summary = counting.summary();
      String source = reader.header().source();
      String origin = reader.header().origin();
      reporting.report(
          new Report(file.toString(), source, origin, summary),
          out -> {
            TextTable.line(out, "trace", file.toString());
            TextTable.line(out, "source", source + ": " + origin);
            TraceFile.show(out, summary);
          });
      return ExitCode.OK;
    } catch (MalformedTraceException e) {
      throw new CommandException("%s: %s".formatted(file, e.getMessage()), e);
    } catch (IOException e) {
      throw new CommandException("cannot read %s: %s".formatted(file, e.getMessage()), e);
    }
  }
}
