package io.ensemble.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * While it is open, YCSB's output goes to a file. Only the progress and Ensemble's own lines go to
 * standard error as well; standard output is for results.
 */
final class YcsbConsole implements AutoCloseable {

  /** The format of YCSB's status thread, up to the latencies. */
  private static final Pattern STATUS = Pattern.compile("(\\S+) .* (\\d+ sec: [^\\[]*)(\\[.*)?");

  private static final Pattern NO_RATE_YET = Pattern.compile("^0 sec: 0 |\\u221e|NaN");

  private static final String OURS = "ycsb: ";

  private final PrintStream out = System.out;
  private final PrintStream err = System.err;
  private final OutputStream file;
  private final PrintStream lines;

  private YcsbConsole(OutputStream file) {
    this.file = file;
    this.lines = new PrintStream(new LineFilter(), true, UTF_8);
  }

  static YcsbConsole into(Path file) throws IOException {
    YcsbConsole console = new YcsbConsole(Files.newOutputStream(file));
    System.setOut(console.lines);
    System.setErr(console.lines);
    return console;
  }

  /** The part of a line to show; null if there is none. */
  static @Nullable String worthShowing(String line) {
    if (line.startsWith(OURS)) {
      return line;
    }
    Matcher status = STATUS.matcher(line);
    // At first a rate is 0, or not a number.
    return status.matches() && !NO_RATE_YET.matcher(status.group(2)).find()
        ? OURS + status.group(1) + " " + status.group(2).strip().replaceAll(";$", "")
        : null;
  }

  @Override
  public void close() throws IOException {
    System.setOut(out);
    System.setErr(err);
    lines.close();
    file.close();
  }

  /** Called under the lock of the print stream above. */
  private final class LineFilter extends OutputStream {

    private final ByteArrayOutputStream line = new ByteArrayOutputStream();

    @Override
    public void write(int next) throws IOException {
      file.write(next);
      if (next != '\n') {
        line.write(next);
        return;
      }
      String shown = worthShowing(line.toString(UTF_8));
      line.reset();
      if (shown != null) {
        err.println(shown);
      }
    }
  }
}
