package io.ensemble.cli.up;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.check.federation.FederationFile;
import io.ensemble.cli.CliResult;
import io.ensemble.cli.UpProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code up --processes --data}: the nodes end with it, and their data remains. */
@Timeout(240)
@Tag("nightly")
class UpProcessesIT {

  @TempDir Path directory;

  @Test
  void nodesHaltWhenTheirStarterIsKilledAndTheNextOneGoesOnWithTheirData() throws Exception {
    FederationFile file = FederationFile.at(directory.resolve("f.json"));
    Path data = directory.resolve("data");
    UpProcess up = up(file, data);
    ProcessHandle node;
    try {
      JsonNode shown = up.published();
      assertThat(shown.at("/federation/sites/0/storage").asText()).isEqualTo("disk");
      assertThat(shown.get("lines")).isEmpty();
      up.run(0, "caches", "create", "c", "--mode", "mwmr", "--deadline", "60s");
      up.run(0, "put", "c", "k", "kept", "--deadline", "60s");
      node = node(data);
      assertThat(node.isAlive()).isTrue();
      assertThat(up.run(1, "up", "--processes", "--data", data.toString()).err())
          .contains("a federation is running already");
    } finally {
      up.kill();
    }
    node.onExit().get(30, TimeUnit.SECONDS);

    UpProcess again = up(file, data);
    try {
      again.published();
      assertThat(up.run(0, "get", "c", "k", "--deadline", "60s").out())
          .isEqualToIgnoringNewLines("kept");
      assertThat(up.run(0, "sites", "recover", "lyon").out()).contains("unharmed");
      node = node(data);
    } finally {
      again.stop();
    }
    assertThat(node.isAlive()).isFalse();
    assertThat(file.path()).doesNotExist();
    assertThat(data.resolve("catalog/data")).isNotEmptyDirectory();
    assertThat(data.resolve("lyon/0/log/server.log")).isNotEmptyFile();

    CliResult other = up.run(1, "up", "--processes", "--sites", "2", "--data", data.toString());
    assertThat(other.err())
        .contains("contains sites [lyon] of 1 nodes", "requested were [lyon, oslo]");
  }

  private static ProcessHandle node(Path data) throws IOException {
    String pid = Files.readString(data.resolve("lyon/0/pid")).split(" ")[0];
    return ProcessHandle.of(Long.parseLong(pid)).orElseThrow();
  }

  private static UpProcess up(FederationFile file, Path data) throws IOException {
    return UpProcess.started(
        file, "--processes", "--sites", "1", "--nodes", "1", "--data", data.toString());
  }
}
