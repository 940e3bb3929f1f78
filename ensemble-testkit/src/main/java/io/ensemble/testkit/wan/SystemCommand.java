package io.ensemble.testkit.wan;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Programs of the system that end immediately: {@code ip}, {@code tc}, {@code nft}. */
final class SystemCommand {

  private static final int LONGEST_SECONDS = 20;

  private SystemCommand() {}

  private record ProgramResult(int code, String said) {}

  /**
   * Runs a program and returns its output.
   *
   * @throws WanException if the program is absent, fails or does not end
   */
  static String run(String... command) {
    ProgramResult outcome = outcome(command);
    if (outcome.code() != 0) {
      throw new WanException(
          "'%s' failed: %s".formatted(String.join(" ", command), outcome.said().strip()));
    }
    return outcome.said();
  }

  /** Runs a program that may fail, and returns whether it succeeded. */
  static boolean succeeds(String... command) {
    try {
      return outcome(command).code() == 0;
    } catch (WanException missing) {
      return false;
    }
  }

  private static ProgramResult outcome(String... command) {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      try {
        process.getOutputStream().close();
        CompletableFuture.delayedExecutor(LONGEST_SECONDS, TimeUnit.SECONDS)
            .execute(process::destroyForcibly);
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        if (!process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS)) {
          throw new WanException("did not end in time: " + List.of(command));
        }
        return new ProgramResult(process.exitValue(), output);
      } finally {
        process.destroyForcibly();
      }
    } catch (IOException e) {
      throw new WanException("cannot run '" + command[0] + "': " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new WanException("interrupted while running '" + command[0] + "'", e);
    }
  }
}
