package io.ensemble.cli.bundle;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/**
 * What a command of this program reports, run within this process.
 *
 * @param code its exit code
 * @param out what it wrote to standard output
 */
record CommandOutput(int code, String out) {

  /**
   * Runs a command with a program of its own, of the same commands as {@code running}. Its standard
   * error is dropped: with {@code --json} a failure is in its report.
   */
  static CommandOutput of(CommandSpec running, List<String> arguments) {
    CommandLine own = running.root().commandLine();
    CommandLine program = new CommandLine(running.root().userObject().getClass());
    program.setCaseInsensitiveEnumValuesAllowed(true);
    program.setExecutionExceptionHandler(own.getExecutionExceptionHandler());
    program.setParameterExceptionHandler(own.getParameterExceptionHandler());
    StringWriter out = new StringWriter();
    program.setOut(new PrintWriter(out, true));
    program.setErr(new PrintWriter(new StringWriter(), true));
    int code = program.execute(arguments.toArray(String[]::new));
    return new CommandOutput(code, out.toString());
  }
}
