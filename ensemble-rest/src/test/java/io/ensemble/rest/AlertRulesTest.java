package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Prometheus' own tool accepts the alert rules, and they fire and end as their unit tests say.
 * Skipped without {@code promtool}, which Debian's package {@code prometheus} has.
 */
@Tag("nightly")
@Timeout(120)
class AlertRulesTest {

  private static Optional<Path> promtool() {
    return Stream.of(String.valueOf(System.getenv("PATH")).split(":"))
        .map(directory -> Path.of(directory, "promtool"))
        .filter(Files::isExecutable)
        .findFirst();
  }

  @ParameterizedTest
  @CsvSource({
    "check, ../docs/monitoring/prometheus-rules.yml",
    "test, src/test/prometheus/rules-test.yml",
  })
  void promtoolFindsNoFault(String action, String file) throws IOException, InterruptedException {
    Optional<Path> promtool = promtool();
    assumeTrue(promtool.isPresent(), "promtool is not installed");

    Process process =
        new ProcessBuilder(promtool.get().toString(), action, "rules", file)
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(output).isZero();
  }
}
