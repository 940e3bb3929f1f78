package io.ensemble.cli.wan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.check.process.ExitCode;
import io.ensemble.check.process.JsonOutput;
import io.ensemble.cli.CliResult;
import io.ensemble.testkit.wan.EmulatedWan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Uses real namespaces; skipped where the machine does not allow them. */
@Timeout(120)
class WanCommandIT {

  @TempDir Path directory;

  @BeforeAll
  static void wantsPrivileges() {
    assumeTrue(EmulatedWan.missing().isEmpty(), () -> EmulatedWan.missing().orElse(""));
  }

  @Test
  void processesRunInTheirHostsAndWhatWasMeasuredIsShownAndRecorded() throws IOException {
    Path record = directory.resolve("wan.json");

    CliResult ran =
        CliResult.ensemble(
            "wan",
            "--latency",
            "20ms",
            "--record",
            record.toString(),
            "lyon=getent hosts oslo; echo there >&2",
            "oslo=");

    assertThat(ran.err()).contains("lyon | there");
    assertThat(ran.code()).isZero();
    assertThat(ran.out())
        .containsPattern("lyon-oslo +20\\.0 ms")
        .containsPattern("lyon \\| 10\\.77\\.0\\.2 +oslo");
    JsonNode pair = JsonOutput.mapper().readTree(Files.readString(record)).get("pairs").get(0);
    assertThat(pair.get("round_trip_p50_millis").doubleValue()).isGreaterThanOrEqualTo(20);
  }

  @Test
  void allIsStoppedWhenTheAwaitedHostIsThroughAndItsFailureIsTheCommands() throws IOException {
    CliResult ran =
        CliResult.ensemble(
            "wan",
            "--json",
            "--until",
            "lyon",
            "--cut",
            "lyon-oslo",
            "lyon=exit 7",
            "oslo=tail -f /dev/null");

    assertThat(ran.code()).isEqualTo(ExitCode.FAILED);
    assertThat(ran.err()).contains("lyon exit 7: exit 7");
    JsonNode report = ran.json();
    assertThat(report.get("cut").get(0).textValue()).isEqualTo("lyon-oslo");
    assertThat(report.get("processes").get(0).get("exit_code").intValue()).isEqualTo(7);
    assertThat(report.get("processes").get(1).get("exit_code").isNull()).isTrue();
  }
}
