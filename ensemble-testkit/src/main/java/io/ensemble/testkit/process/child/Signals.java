package io.ensemble.testkit.process.child;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Signals that Java does not send. Requires a POSIX shell. */
public final class Signals {

  private static final int LONGEST_SECONDS = 10;

  private Signals() {}

  /**
   * Stops the process by SIGSTOP: it answers no request, and its connections stay open. A {@link
   * ProcessResumer} resumes it. Returns when every thread of it has stopped, if the system reports
   * that.
   *
   * @throws IllegalStateException if it still runs after 10 s
   */
  public static void stop(long pid) {
    send("STOP", pid);
    awaitStopped(pid);
  }

  /** The threads of the process receive the signal when each next enters the kernel. */
  private static void awaitStopped(long pid) {
    CountDownLatch never = new CountDownLatch(1);
    long begin = System.nanoTime();
    try {
      while (runs(pid)) {
        if (System.nanoTime() - begin > TimeUnit.SECONDS.toNanos(LONGEST_SECONDS)) {
          throw new IllegalStateException(
              "was signalled to stop and is still running; process " + pid);
        }
        boolean unused = never.await(1, TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while process " + pid + " stops", e);
    }
  }

  /**
   * Whether a thread of the process runs; false if there is no such process, or the system does not
   * report it.
   */
  private static boolean runs(long pid) {
    try (DirectoryStream<Path> threads =
        Files.newDirectoryStream(Path.of("/proc/" + pid + "/task"))) {
      for (Path thread : threads) {
        String stat = Files.readString(thread.resolve("stat"));
        // The state letter follows the name, which may contain any character: T stopped, Z and X
        // dead.
        if ("TZX".indexOf(stat.charAt(stat.lastIndexOf(')') + 2)) < 0) {
          return true;
        }
      }
      return false;
    } catch (DirectoryIteratorException | IOException gone) {
      return Files.exists(Path.of("/proc/" + pid));
    }
  }

  /** Lets a JVM write the stacks of its threads to its standard output; it continues to run. */
  public static void quit(long pid) {
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
