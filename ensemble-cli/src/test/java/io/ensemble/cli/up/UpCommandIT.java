package io.ensemble.cli.up;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.check.federation.FederationFile;
import io.ensemble.cli.CliResult;
import io.ensemble.cli.UpProcess;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code up} in a process of its own, from its start to both ways of its end. */
@Timeout(120)
class UpCommandIT {

  @TempDir Path directory;

  @Test
  void aFederationServesOtherProcessesAndLeavesNothingWhenItIsStopped() throws Exception {
    FederationFile file = FederationFile.at(directory.resolve("f.json"));
    UpProcess up = UpProcess.started(file, "--nodes", "1");
    try {
      JsonNode shown = up.published();

      assertThat(shown.get("file").asText()).isEqualTo(file.path().toString());
      assertThat(shown.get("federation").get("pid").asLong()).isEqualTo(up.process().pid());
      assertThat(file.read().siteNames()).containsExactly("lyon", "oslo", "rome");
      up.run(0, "caches", "create", "c", "--mode", "mwmr", "--deadline", "60s");
      up.run(0, "put", "c", "k", "v", "--deadline", "60s");
      assertThat(up.run(0, "get", "c", "k", "--deadline", "60s").out())
          .isEqualToIgnoringNewLines("v");
      String catalog = shown.get("federation").get("catalog").asText();
      CliResult byCatalog = CliResult.ensemble(List.of("get", "c", "k", "--catalog", catalog));
      assertThat(byCatalog.out()).isEqualToIgnoringNewLines("v");
      assertThat(CliResult.ensemble(List.of("sites", "--catalog", catalog)).out())
          .contains("lyon", "oslo", "rome");
      assertThat(up.run(2, "sites", "--catalog", catalog).err()).contains("--catalog excludes");
    } finally {
      up.stop();
    }

    assertThat(file.path()).doesNotExist();
    assertThat(up.run(1, "get", "c", "k", "--deadline", "60s").err()).contains("run 'ensemble up'");
  }

  @Test
  void afterAViolentEndTheFileIsKnownToBeStaleAndTakenOver() throws Exception {
    FederationFile file = FederationFile.at(directory.resolve("f.json"));
    UpProcess up = UpProcess.started(file, "--sites", "1", "--nodes", "1");
    try {
      up.published();
      up.run(0, "caches", "create", "c", "--mode", "weak");
    } finally {
      up.kill();
    }

    assertThat(up.run(1, "sites").err())
        .contains("process " + up.process().pid() + " does not exist");

    try (FederationFile.Claim claim = file.claim()) {
      assertThat(claim.catalog()).doesNotExist();
      assertThatThrownBy(() -> file.read()).hasMessageContaining("no federation is running");
    }
  }
}
