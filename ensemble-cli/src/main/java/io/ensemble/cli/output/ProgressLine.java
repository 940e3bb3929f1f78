package io.ensemble.cli.output;

import java.io.PrintWriter;

/**
 * Shows progress during a wait: one line that is overwritten on a terminal, elsewhere a line for
 * each step. Thread-safe.
 */
public final class ProgressLine implements AutoCloseable {

  private static final String ERASE = "\r\u001b[K";
  private static final int LONGEST = 76;

  private final PrintWriter err;
  private final String what;
  private final boolean moves;
  private boolean shown;
  private boolean closed;

  ProgressLine(PrintWriter err, String what, boolean moves) {
    this.err = err;
    this.what = what;
    this.moves = moves;
  }

  /** Shows the progress of {@code what} on {@code err}. */
  public static ProgressLine on(PrintWriter err, String what) {
    return new ProgressLine(err, what, Terminal.movesOnErr());
  }

  /** A progress bar of ten characters and a percentage. */
  public static String bar(long done, long of) {
    long percent = of <= 0 ? 0 : Math.min(100, 100 * done / of);
    int full = (int) (percent / 10);
    return "[%s%s] %d %%".formatted("#".repeat(full), ".".repeat(10 - full), percent);
  }

  /** Shows a step. On an overwritten line only the latest step stays. */
  public synchronized void show(String step) {
    if (closed) {
      return;
    }
    String line = what + ": " + step;
    if (moves) {
      err.print(ERASE + (line.length() > LONGEST ? line.substring(0, LONGEST) + "…" : line));
      shown = true;
    } else {
      err.println(line);
    }
    err.flush();
  }

  @Override
  public void close() {
    finish();
  }

  /** Erases the overwritten line; later steps are not shown. */
  public synchronized void finish() {
    if (!closed && shown) {
      err.print(ERASE);
      err.flush();
    }
    closed = true;
  }
}
