package io.ensemble.cli.trace;

import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.cli.output.TextTable;
import io.ensemble.testkit.trace.SyntheticTrace;
import io.ensemble.testkit.trace.TraceSummary;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "synthetic",
    description = {
      "Make a trace up that has the shape of Wikipedia's histories.",
      "LEADS D2.6, appendix A, figure 2: a share of n^-alpha of the keys have n versions or more, 92 %%"
          + " of them fewer than 10, a few thousands; values are log-normal, of 386 bytes on average,"
          + " the paper's 3.86 KB divided by 10 as there. Equal for equal options."
    })
final class TraceSyntheticCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();

  @Option(
      names = "--out",
      paramLabel = "FILE",
      required = true,
      description = "The trace; gzip if it ends with .gz. It is there when it is whole.")
  Path file = Path.of("");

  @Option(
      names = "--keys",
      paramLabel = "N",
      defaultValue = "1000",
      description = "How many; default: ${DEFAULT-VALUE}. The paper's has 15,739.")
  int keys;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Of all choices; default: ${DEFAULT-VALUE}.")
  long seed;

  @Option(
      names = "--alpha",
      paramLabel = "X",
      defaultValue = "" + SyntheticTrace.ALPHA,
      description = "The tail's exponent; default: ${DEFAULT-VALUE}.")
  double alpha;

  @Option(
      names = "--most-versions",
      paramLabel = "N",
      defaultValue = "" + SyntheticTrace.MOST_VERSIONS,
      description = "Of one key; default: ${DEFAULT-VALUE}.")
  int mostVersions;

  @Option(
      names = "--mean-bytes",
      paramLabel = "N",
      defaultValue = "" + SyntheticTrace.MEAN_BYTES,
      description = "Of a value; default: ${DEFAULT-VALUE}.")
  int meanBytes;

  /** The output of {@code --json}. */
  record Report(String file, TraceSummary trace) {}

  @Override
  public Integer call() {
    SyntheticTrace trace = new SyntheticTrace(keys, seed, alpha, mostVersions, meanBytes);
    TraceFile.Made<Boolean> made =
        TraceFile.write(
            file,
            trace.header(),
            sink -> {
              trace.all(sink);
              return true;
            });
    reporting.report(
        new Report(file.toString(), made.summary()),
        out -> {
          TextTable.line(out, "trace", file.toString());
          TraceFile.show(out, made.summary());
        });
    return ExitCode.OK;
  }
}
