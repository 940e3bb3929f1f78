package io.ensemble.testkit.process.child;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A process that an earlier run has left. Nodes halt when their starter dies, but a process that
 * was stopped by a signal cannot. It is identified by its process id and start time, because a
 * process id alone may have been reused.
 */
public final class OrphanProcess {

  private static final int LONGEST_SECONDS = 20;

  private OrphanProcess() {}

  public static void remember(Path file, ProcessHandle process) throws IOException {
    Files.writeString(file, process.pid() + " " + startTime(process));
  }

  /**
   * Kills the process that {@code file} names, if the process id still belongs to it.
   *
   * @throws IllegalStateException if it does not end
   */
  public static void end(Path file) {
    process(file)
        .ifPresent(
            process -> {
              process.destroyForcibly();
              try {
                process.onExit().get(LONGEST_SECONDS, TimeUnit.SECONDS);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(
                    "interrupted while stopping a node of a former run", e);
              } catch (ExecutionException | TimeoutException e) {
                throw new IllegalStateException(
                    "a node of a former run cannot be stopped; process=" + process.pid(), e);
              }
            });
  }

  private static Optional<ProcessHandle> process(Path file) {
    try {
      if (!Files.exists(file)) {
        return Optional.empty();
      }
      String[] known = Files.readString(file, UTF_8).split(" ", -1);
      return known.length == 2 && known[0].matches("\\d{1,18}")
          ? ProcessHandle.of(Long.parseLong(known[0]))
              .filter(process -> process.isAlive() && startTime(process).equals(known[1]))
          : Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file, e);
    }
  }

  /**
   * Equal to no other value if the system does not report the start time, so that no process is
   * killed.
   */
  private static String startTime(ProcessHandle process) {
    return process.info().startInstant().map(Instant::toString).orElse("unknown-" + Instant.now());
  }
}
