package io.ensemble.testkit.process.child;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;

/**
 * Resumes a stopped process when it is closed, or when this process has died. Nodes halt when their
 * starter ends, but a stopped node could not and would stay forever. The resumer is a shell that
 * waits for the end of its standard input. Not thread-safe.
 */
public final class ProcessResumer implements AutoCloseable {

  private static final int LONGEST_SECONDS = 10;

  private final long pid;
  private final Process shell;

  private ProcessResumer(long pid, Process shell) {
    this.pid = pid;
    this.shell = shell;
  }

  /** Creates a resumer for the process of that id, which may be stopped from now on. */
  public static ProcessResumer of(long pid) {
    try {
      return new ProcessResumer(pid, shell(pid));
    } catch (IOException e) {
      throw new UncheckedIOException("no shell to resume a paused process: " + e, e);
    }
  }

  /**
   * Ctrl-C of a terminal reaches each of its processes, and must not end this shell before its
   * starter.
   */
  static Process shell(long pid) throws IOException {
    return new ProcessBuilder("sh", "-c", "trap '' INT HUP; read end; kill -CONT " + pid)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  /** Resumes the process; no effect if it has ended. Returns when that is done. */
  @Override
  public void close() {
    try {
      shell.getOutputStream().close();
      if (!shell.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS)) {
        shell.destroyForcibly();
        throw new IllegalStateException("cannot resume a paused process; process=" + pid);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot resume a paused process; process=" + pid, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while resuming a paused process", e);
    }
  }
}
