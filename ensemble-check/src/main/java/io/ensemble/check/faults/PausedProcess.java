package io.ensemble.check.faults;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** A paused process. It resumes when this is closed, or after {@link #LONGEST_SECONDS}. */
public final class PausedProcess implements AutoCloseable {

  /** The process resumes after this time in any case, so that no process stays paused. */
  public static final int LONGEST_SECONDS = 25;

  private final long pid;
  private final Process shell;

  private PausedProcess(long pid, Process shell) {
    this.pid = pid;
    this.shell = shell;
  }

  public static PausedProcess by(long pid) throws IOException {
    return new PausedProcess(pid, WriterPauses.stopByShell(pid, LONGEST_SECONDS));
  }

  @Override
  public void close() {
    try {
      Process goesOn = new ProcessBuilder("sh", "-c", "kill -CONT " + pid).start();
      if (!goesOn.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS)) {
        goesOn.destroyForcibly();
      }
      shell.destroyForcibly();
    } catch (IOException noShell) {
      // The first shell resumes it later.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
