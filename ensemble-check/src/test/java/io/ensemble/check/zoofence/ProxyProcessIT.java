package io.ensemble.check.zoofence;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ensemble.check.process.CommandException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
class ProxyProcessIT {
  private static final int MANY_LINES = 20_000;

  @TempDir Path directory;

  /** A program that never reports that it serves, and does not end. */
  static final class Silent {
    public static void main(String[] arguments) throws IOException {
      System.out.println("not yet");
      while (System.in.read() >= 0) {
        // Waits for the end of its input.
      }
    }
  }

  /** A program that prints many lines after it has begun to serve, and then ends. */
  static final class Talkative {
    public static void main(String[] arguments) {
      System.out.println("serving at once");
      for (int line = 0; line < MANY_LINES; line++) {
        System.out.println("line " + line);
      }
      System.err.println("all is said");
    }
  }

  private ProxyProcess start(Class<?> program, Duration longest) {
    return ProxyProcess.start(
        program.getName(), List.of(), 1, directory.resolve("proxy.log"), longest);
  }

  @Test
  void aProxyThatDoesNotServeInTimeFailsToStart() {
    assertThatThrownBy(() -> start(Silent.class, Duration.ofSeconds(3)))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("a proxy did not start; port=1");
  }

  @Test
  void whatItSaysLaterDoesNotMakeItStandStill() {
    try (ProxyProcess proxy = start(Talkative.class, Duration.ofSeconds(30))) {
      assertThat(proxy.address()).isEqualTo("127.0.0.1:1");

      await("all is said").atMost(1, MINUTES).until(this::saidAll);
    }
  }

  private boolean saidAll() {
    try {
      return java.nio.file.Files.readString(directory.resolve("proxy.log")).contains("all is said");
    } catch (IOException e) {
      return false;
    }
  }
}
