package io.ensemble.cli;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.check.process.JsonOutput;
import io.ensemble.cli.bench.YcsbCommand;
import io.ensemble.cli.bench.YcsbProcess;
import io.ensemble.cli.output.ReportOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** A command that has ended: its exit code and what it wrote. */
public record CliResult(int code, String out, String err) {

  public static CliResult ensemble(List<String> arguments) {
    return ensemble(arguments.toArray(String[]::new));
  }

  public static CliResult ensemble(String... arguments) {
    return of(Main.commandLine(), arguments);
  }

  /** Runs any program as Main runs its own. */
  static CliResult of(CommandLine program, String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    program.setOut(new PrintWriter(out, true));
    program.setErr(new PrintWriter(err, true));
    int code = Main.execute(program, arguments);
    return new CliResult(code, out.toString(), err.toString());
  }

  /** The report on a YCSB run with this end. */
  public static CliResult reporting(boolean json, YcsbProcess.YcsbResult ended) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine program = new CommandLine(CommandSpec.create());
    program.setOut(new PrintWriter(out, true));
    program.setErr(new PrintWriter(err, true));
    ReportOptions reporting = new ReportOptions();
    reporting.command = program.getCommandSpec();
    reporting.json = json;
    int code = YcsbCommand.report(reporting, ended);
    return new CliResult(code, out.toString(), err.toString());
  }

  /** The standard output, which is one document. */
  public JsonNode json() throws IOException {
    return JsonOutput.mapper()
        .reader()
        .with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
        .readTree(out);
  }
}
