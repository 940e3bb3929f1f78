package io.ensemble.cli.heat;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.check.federation.FederationFile;
import io.ensemble.check.federation.LocalPlan;
import io.ensemble.check.federation.RunningFederation;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.CliResult;
import io.ensemble.cli.CliRunner;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two processes, one after the other, publish their operations on real sites. */
class HeatCommandIT {

  @TempDir static Path directory;
  private static RunningFederation federation;
  private static CliRunner ensemble;

  @BeforeAll
  static void up() {
    FederationFile file = FederationFile.at(directory.resolve("federation.json"));
    ensemble = new CliRunner(file);
    federation = RunningFederation.start(file.claim(), LocalPlan.embedded(3, 1), line -> {});
  }

  @AfterAll
  static void down() {
    federation.close();
  }

  @Test
  void theOperationsOfAllProcessesAreShown() throws IOException {
    ensemble.ok("created", "caches", "create", "stock", "--mode", "mwmr");
    CliResult before = ensemble.run("heat", "stock");
    assertThat(before.code()).isEqualTo(ExitCode.OK);
    assertThat(before.out()).contains("no operation on 'stock' was published");
    assertThat(ensemble.run("caches", "alter", "stock", "--advise").out())
        .contains("none: not enough operations, 0 of 1000");
    ensemble.refused(
        ExitCode.USAGE, "excludes", "caches", "alter", "stock", "--advise", "--mode", "weak");
    for (String part : new String[] {"1/2", "2/2"}) {
      CliResult load =
          ensemble.run(
              "load",
              "stock",
              "--heat",
              "--for",
              "2s",
              "--part",
              part,
              "--keys",
              "20",
              "--history",
              directory.resolve("history-" + part.charAt(0)).toString());
      assertThat(load.code()).as(load.err()).isEqualTo(ExitCode.OK);
    }

    JsonNode heat = ensemble.run("heat", "stock", "--top", "3", "--json").json();

    assertThat(heat.get("processes").asInt()).isEqualTo(2);
    assertThat(heat.get("reads").asLong()).isPositive();
    assertThat(heat.get("writes").asLong()).isPositive();
    assertThat(heat.get("keys")).hasSize(3);
    assertThat(heat.get("distinct_keys").get("estimate").asLong()).isEqualTo(20);
    assertThat(heat.get("value_bytes").get("p99").asLong()).isPositive();
    assertThat(heat.get("sites")).hasSize(3);
    assertThat(heat.get("intervals")).isNotEmpty();
    assertThat(ensemble.run("heat", "stock").out())
        .contains("KEY", "AT LEAST", "SITE", "published by     2 processes");
    JsonNode advice = ensemble.run("explain", "placement", "stock", "--json").json().get("advice");
    assertThat(advice.get("operations").asLong())
        .isEqualTo(heat.get("reads").asLong() + heat.get("writes").asLong());
    assertThat(advice.get("verdict").asText())
        .as("three sites of one machine are the only ones")
        .isIn("stay", "not_enough_operations");
    assertThat(advice.get("sites")).hasSize(3);
    CliResult absent = ensemble.run("heat", "nowhere");
    assertThat(absent.code()).isEqualTo(ExitCode.FAILED);
    assertThat(absent.err()).contains("there is no cache 'nowhere'");
  }
}
