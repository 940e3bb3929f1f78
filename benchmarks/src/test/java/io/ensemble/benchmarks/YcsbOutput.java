package io.ensemble.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;

/**
 * How a run of the program ended.
 *
 * @param code its exit code
 * @param out what it wrote on standard output
 * @param err what it wrote on standard error
 */
record YcsbOutput(int code, String out, String err) {

  /** Runs the program in this JVM, of which no other test may write to the standard streams. */
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
