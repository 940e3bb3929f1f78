package io.ensemble.check.trial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.check.process.CommandException;
import io.ensemble.check.zoofence.ZooFenceRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KillableClientsTest {

  private static final ZooFenceRequest ONE_PROCESS =
      new ZooFenceRequest(
          1, 1, 10, 1, Duration.ofSeconds(1), 1, Set.of(), 5, Duration.ofSeconds(2));

  /** A trial may end while the process that replaces a killed one is still being started. */
  @Test
  void aProcessThatNeverBeganHasNoCalls(@TempDir Path directory) throws Exception {
    try (KillableClients clients = clients(directory, "sleep 60")) {
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> clients.fill(0)).isInstanceOf(InterruptedException.class);

      assertThat(clients.history()).isEmpty();
      clients.end();
    }
  }

  @Test
  void theHistoryOfAProcessThatBeganMustNotBeMissing(@TempDir Path directory) throws Exception {
    String ready = "echo '{\"word\":\"%s\"}'; sleep 60".formatted(ClientMessage.READY);
    try (KillableClients clients = clients(directory, ready)) {
      clients.start();
      clients.go();

      assertThatThrownBy(clients::history)
          .isInstanceOf(CommandException.class)
          .hasMessageContaining("client-0.jsonl");
      clients.end();
    }
  }

  private static KillableClients clients(Path directory, String script) {
    return new KillableClients(
        ONE_PROCESS,
        false,
        share -> share,
        directory,
        log -> new ProcessBuilder("sh", "-c", "exec 2>/dev/null; " + script).start());
  }
}
