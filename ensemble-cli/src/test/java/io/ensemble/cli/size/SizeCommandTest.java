package io.ensemble.cli.size;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.CliResult;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class SizeCommandTest {

  @Test
  void anEstimateIsATableOrOneDocument() throws IOException {
    CliResult text =
        CliResult.ensemble(
            "size", "--entries", "1000", "--value", "1000", "--mode", "mwmr", "--disk");
    JsonNode json =
        CliResult.ensemble(
                "size",
                "--entries",
                "1000",
                "--value",
                "1000",
                "--mode",
                "weak",
                "--sites",
                "2",
                "--writes",
                "10",
                "--json")
            .json();

    assertThat(text.code()).isZero();
    assertThat(text.out()).contains("copies", "heap of a node", "disk of a node", "2 round trips");
    assertThat(json.get("copies").asInt()).isEqualTo(4);
    assertThat(json.get("requests_per_second").asInt()).isEqualTo(20);
    assertThat(json.get("disk_bytes").isNull()).isTrue();
  }

  @Test
  void aWrongNumberIsUsage() {
    CliResult ran =
        CliResult.ensemble("size", "--entries", "0", "--value", "1000", "--mode", "mwmr");

    assertThat(ran.code()).isEqualTo(ExitCode.USAGE);
    assertThat(ran.err()).contains("entries must be in [1, 1000000000000]; got 0");
    assertThat(
            CliResult.ensemble(
                    "size", "--entries", "1", "--value", "1", "--mode", "weak", "--replicas", "2")
                .code())
        .isEqualTo(ExitCode.USAGE);
  }
}
