package io.ensemble.cli.output;

import io.ensemble.check.process.JsonOutput;
import java.io.PrintWriter;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The common parts of all commands that report: the streams, the format, the level of detail. */
public final class ReportOptions {

  @Spec(Spec.Target.MIXEE)
  public @Nullable CommandSpec command;

  @Option(names = "--json", description = "Print one JSON document on standard output.")
  public boolean json;

  @Option(
      names = "--debug",
      description = "Log warnings to standard error, and show failures with their stack traces.")
  void debug(boolean wanted) {
    logs = wanted;
    if (wanted) {
      LogSetup.toStandardError();
    }
  }

  private boolean logs;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  boolean help;

  /** Whether warnings go to standard error. */
  public boolean logs() {
    return logs;
  }

  /** Reports {@code document} as JSON, or else the output of {@code text}. */
  public void report(Object document, Consumer<PrintWriter> text) {
    if (json) {
      JsonOutput.json(out(), document);
    } else {
      text.accept(out());
      out().flush();
    }
  }

  public PrintWriter out() {
    return spec().commandLine().getOut();
  }

  public PrintWriter err() {
    return spec().commandLine().getErr();
  }

  public CommandSpec spec() {
    if (command == null) {
      throw new AssertionError("picocli hands over the command before it runs");
    }
    return command;
  }
}
