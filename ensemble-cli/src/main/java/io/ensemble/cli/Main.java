package io.ensemble.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.check.process.ExitCode;
import io.ensemble.check.process.JsonOutput;
import io.ensemble.cli.output.CommandErrors;
import io.ensemble.cli.output.LogSetup;
import io.ensemble.cli.output.Terminal;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** The program behind {@code ./ensemble}. */
public final class Main {

  private Main() {}

  /** Runs one command and exits with its code, see {@link ExitCode}. */
  public static void main(String[] arguments) {
    Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT); // Output is the same on every machine.
    LogSetup.quiet();
    Thread.setDefaultUncaughtExceptionHandler(LogSetup::uncaught);
    CommandLine program = commandLine();
    program.setErr(new PrintWriter(System.err, true, Charset.defaultCharset()));
    if (!List.of(arguments).contains("--debug")) {
      // Libraries print errors while a site dies; Ensemble reports in its own messages what users
      // need.
      System.setErr(new PrintStream(OutputStream.nullOutputStream(), false, UTF_8));
    }
    System.exit(execute(program, arguments));
  }

  /**
   * Runs one command. An error (a bug of Ensemble) is reported as failures are, because picocli
   * does not handle it.
   */
  static int execute(CommandLine program, String... arguments) {
    try {
      return program.execute(arguments);
    } catch (Error broken) {
      return reportFailure(broken, program, List.of(arguments));
    }
  }

  /** The program as a value, so that tests can set other streams. */
  static CommandLine commandLine() {
    CommandLine program = new CommandLine(new EnsembleCommand());
    program.setColorScheme(
        Help.defaultColorScheme(Terminal.coloursOnOut() ? Help.Ansi.ON : Help.Ansi.OFF));
    program.setUsageHelpAutoWidth(true);
    program.setCaseInsensitiveEnumValuesAllowed(true);
    program.setParameterExceptionHandler(Main::reportUsageError);
    program.setExecutionExceptionHandler(Main::handleFailure);
    return program;
  }

  private static int reportUsageError(ParameterException exception, String[] arguments) {
    CommandLine command = exception.getCommandLine();
    String line = CommandErrors.line(exception);
    command.getErr().println("ensemble: " + line);
    if (!UnmatchedArgumentException.printSuggestions(exception, command.getErr())) {
      command.getErr().println("See 'ensemble" + path(command) + " --help'.");
    }
    if (List.of(arguments).contains("--json")) {
      JsonOutput.json(command.getOut(), new JsonOutput.FailureDocument(line, ExitCode.USAGE));
    }
    return ExitCode.USAGE;
  }

  private static String path(CommandLine command) {
    String qualified = command.getCommandSpec().qualifiedName(" ");
    int space = qualified.indexOf(' ');
    return space < 0 ? "" : qualified.substring(space);
  }

  private static int handleFailure(Exception failure, CommandLine command, ParseResult parsed) {
    return reportFailure(failure, command, parsed.originalArgs());
  }

  private static int reportFailure(Throwable failure, CommandLine command, List<String> arguments) {
    int code = CommandErrors.exitCode(failure);
    String line = CommandErrors.line(failure);
    command.getErr().println("ensemble: " + line);
    if (arguments.contains("--debug")) {
      failure.printStackTrace(command.getErr());
    }
    if (arguments.contains("--json")) {
      JsonOutput.json(command.getOut(), new JsonOutput.FailureDocument(line, code));
    }
    return code;
  }
}
