package io.ensemble.cli.check;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.check.report.CheckEvidence;
import io.ensemble.cli.CliResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The trial on real servers, each in a process, that are killed, stopped and wiped. */
class CheckProcessesIT {
  @TempDir Path directory;

  /** The short form of {@link #theGuaranteeHoldsOnProcessesThatForget}. */
  @Test
  @Timeout(600)
  void theGuaranteeHoldsOnProcessesFarAway() throws Exception {
    holdsAmong("--client-processes 1 --operations 400 --duration 3s", List.of("amnesia"));
  }

  @Test
  @Tag("nightly")
  @Timeout(600)
  void theGuaranteeHoldsOnProcessesThatForget() throws Exception {
    holdsAmong(
        "--client-processes 2 --operations 1000 --duration 8s",
        List.of("kill", "pause", "amnesia"));
  }

  private void holdsAmong(String size, List<String> faults) throws Exception {
    Path report = directory.resolve("report");

    CliResult ran =
        check(
            "--mode mwmr --nodes 1 --clients 4 --keys 10 --latency 4ms --bandwidth 50mbit"
                + " --seed 1 --json "
                + size
                + " --faults "
                + String.join(",", faults)
                + " --report "
                + report);

    JsonNode json = ran.json();
    CheckEvidence.requireOk(json, ran.err(), CheckProcessesIT.class, String.join("-", faults));
    assertThat(ran.code()).isZero();
    assertThat(json.get("verdict").asText()).isEqualTo("held");
    assertThat(json.get("operations").get("completed").asInt()).isGreaterThan(200);
    for (String kind : faults) {
      assertThat(json.get("faults").get(kind).asInt()).as(kind).isPositive();
    }
    // Killed sites keep their data, so only wiped sites are refilled.
    assertThat(json.get("refilled").asInt()).isEqualTo(json.get("faults").path("amnesia").asInt());
    assertThat(json.get("lines")).hasSize(2);
    for (JsonNode line : json.get("lines")) {
      assertThat(line.get("round_trip_p50_millis").asDouble()).isGreaterThan(4);
    }
    assertThat(report.resolve("report.html")).content().contains("link to oslo", "link to rome");
    try (var files = Files.list(report)) { // The data of the nodes is deleted.
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder(
              ".ensemble-check",
              "summary.json",
              "history.jsonl",
              "history.jsonl.meta.json",
              "faults.jsonl",
              "throughput.svg",
              "report.html");
    }
  }

  @Tag("deep")
  @ParameterizedTest
  @CsvSource({"mwmr, 1", "mwmr, 2", "mwmr, 3", "weak, 1"})
  @Timeout(1200)
  void theGuaranteeHoldsAmongAllFaultsForLonger(String mode, int seed) throws Exception {
    CliResult ran = check("--mode " + mode + " --operations 20000 --seed " + seed + " --json");

    CheckEvidence.requireOk(ran.json(), ran.err(), CheckProcessesIT.class, mode + "-" + seed);
    assertThat(ran.code()).isZero();
  }

  private static CliResult check(String options) {
    return CliResult.ensemble(("check --processes " + options).split(" "));
  }
}
