package io.ensemble.testkit.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.testkit.process.child.Signals;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The diagnostics of a node that does not reach the expected state: the stacks of its threads, in a
 * file next to its log, and the end of its log. On SIGQUIT the JVM itself writes the stacks to its
 * console, so no tool of a JDK is needed. If the JVM does not even do that, the diagnostics say so.
 */
final class NodeDiagnostics {

  private static final Duration LONGEST_ANSWER = Duration.ofSeconds(20);
  private static final int POLL_MILLIS = 100;

  /** After so many polls without new output, the JVM has written everything. */
  private static final int QUIET_POLLS = 3;

  /** The line that HotSpot writes after the last stack. */
  private static final String AFTER_STACKS = "JNI global ref";

  private static final int LAST_LINES = 15;

  private final Process process;
  private final NodeFiles files;
  private final Duration longestAnswer;

  private NodeDiagnostics(Process process, NodeFiles files, Duration longestAnswer) {
    this.process = process;
    this.files = files;
    this.longestAnswer = longestAnswer;
  }

  /** For the end of a message. Takes 1 s, or 20 s if the JVM does not answer. */
  static String of(Process process, NodeFiles files) {
    return of(process, files, LONGEST_ANSWER);
  }

  static String of(Process process, NodeFiles files, Duration longestAnswer) {
    NodeDiagnostics evidence = new NodeDiagnostics(process, files, longestAnswer);
    return "threads=%s last lines of the log:%n%s"
        .formatted(evidence.threads(), files.lastLines(LAST_LINES));
  }

  /** The file with the stacks, or the reason why there is none. */
  private String threads() {
    Path console = files.consoleLog();
    try {
      long before = Files.exists(console) ? Files.size(console) : 0;
      Signals.quit(process.pid());
      if (!isWritten(console, before)) {
        return "none, the JVM did not answer within %d s".formatted(longestAnswer.toSeconds());
      }
      return Files.copy(console, files.threads(), StandardCopyOption.REPLACE_EXISTING).toString();
    } catch (IOException | IllegalStateException e) {
      return "none, " + e.getMessage();
    }
  }

  private boolean isWritten(Path console, long before) throws IOException {
    long deadline = System.nanoTime() + longestAnswer.toNanos();
    long size = before;
    int quiet = 0;
    while (System.nanoTime() - deadline < 0) {
      if (hasEnded()) {
        return false;
      }
      long now = Files.size(console);
      quiet = now == size ? quiet + 1 : 0;
      size = now;
      if (quiet >= QUIET_POLLS && hasStacks(console, before)) {
        return true;
      }
    }
    return hasStacks(console, before);
  }

  private static boolean hasStacks(Path console, long before) throws IOException {
    byte[] all = Files.readAllBytes(console);
    int from = Math.toIntExact(Math.min(before, all.length));
    return new String(all, from, all.length - from, UTF_8).contains(AFTER_STACKS);
  }

  private boolean hasEnded() {
    try {
      return process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for a node's stacks", e);
    }
  }
}
