package io.ensemble.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;

/**
 * The result of a run of the program.
 *
 * @param code the exit code
 * @param out the standard output
 * @param err the standard error
 */
record YcsbOutput(int code, String out, String err) {

  /** Runs the program in this JVM. No other test may write to the standard streams meanwhile. */
  static YcsbOutput of(List<String> arguments) {
    PrintStream formerOut = System.out;
    PrintStream formerErr = System.err;
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    System.setOut(new PrintStream(out, true, UTF_8));
    System.setErr(new PrintStream(err, true, UTF_8));
    try {
      int code = YcsbMain.execute(arguments.toArray(String[]::new));
      return new YcsbOutput(code, out.toString(UTF_8), err.toString(UTF_8));
    } finally {
      System.setOut(formerOut);
      System.setErr(formerErr);
    }
  }
}
