package io.ensemble.cli.trace;

import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.cli.output.TextTable;
import io.ensemble.testkit.trace.SyntheticTrace;
import io.ensemble.testkit.trace.TraceSummary;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "synthetic",
    description = {
      "Create a synthetic trace with the distribution of Wikipedia histories.",
      "LEADS D2.6, appendix A, figure 2: a share of n^-alpha of the keys have n versions or more, "
          + "92 %% of them fewer than 10, a few have thousands; value sizes are log-normal, with a "
          + "mean of 386 bytes, the 3.86 KB of the paper divided by 10. Equal options create equal "
          + "traces."
    })
final class TraceSyntheticCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();

  @Mixin TraceOutputOption output = new TraceOutputOption();

  @Option(
      names = "--keys",
      paramLabel = "N",
      defaultValue = "1000",
      description = "Number of keys; default: ${DEFAULT-VALUE}. The paper has 15,739.")
  int keys;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Seed of all random choices; default: ${DEFAULT-VALUE}.")
  long seed;

  @Option(
      names = "--alpha",
      paramLabel = "X",
      defaultValue = "" + SyntheticTrace.ALPHA,
      description = "Exponent of the tail; default: ${DEFAULT-VALUE}.")
  double alpha;

  @Option(
      names = "--most-versions",
      paramLabel = "N",
      defaultValue = "" + SyntheticTrace.MOST_VERSIONS,
      description = "Maximum number of versions of a key; default: ${DEFAULT-VALUE}.")
  int mostVersions;

  @Option(
      names = "--mean-bytes",
      paramLabel = "N",
      defaultValue = "" + SyntheticTrace.MEAN_BYTES,
      description = "Mean size of a value in bytes; default: ${DEFAULT-VALUE}.")
  int meanBytes;

  /** The output of {@code --json}. */
  record Report(String file, TraceSummary trace) {}

  @Override
  public Integer call() {
    SyntheticTrace trace = new SyntheticTrace(keys, seed, alpha, mostVersions, meanBytes);
    TraceFile.WrittenTrace<Boolean> made =
        TraceFile.write(
            output.file,
            trace.header(),
            sink -> {
              trace.all(sink);
              return true;
            });
    reporting.report(
        new Report(output.file.toString(), made.summary()),
        out -> {
          TextTable.line(out, "trace", output.file.toString());
          TraceFile.show(out, made.summary());
        });
    return ExitCode.OK;
  }
}
