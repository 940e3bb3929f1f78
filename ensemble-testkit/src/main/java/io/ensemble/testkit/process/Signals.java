package io.ensemble.testkit.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;

/** Signals that Java does not send. Only where there is a POSIX shell. */
public final class Signals {

  private static final int LONGEST_SECONDS = 10;

  private Signals() {}

  /**
   * Stops the process where it stands: it answers nothing, and its connections stay. An {@link
   * Awakener} lets it go on.
   */
  public static void stop(long pid) {
    send("STOP", pid);
  }

  /** Has a JVM write the stacks of its threads to its standard output; it goes on. */
  static void quit(long pid) {
    send("QUIT", pid);
  }

  private static void send(String signal, long pid) {
    try {
      Process kill =
          new ProcessBuilder("sh", "-c", "kill -" + signal + " " + pid)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      if (!kill.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS) || kill.exitValue() != 0) {
        throw new IllegalStateException("cannot send SIG" + signal + " to process " + pid);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot send SIG" + signal, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while sending SIG" + signal, e);
    }
  }
}
