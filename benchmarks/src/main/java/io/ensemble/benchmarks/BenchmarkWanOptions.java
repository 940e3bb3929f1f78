package io.ensemble.benchmarks;

import io.ensemble.testkit.link.WanProfile;
import java.time.Duration;
import picocli.CommandLine.Option;

/** The options for the network to sites that are far. */
final class BenchmarkWanOptions {

  @Option(
      names = "--round-trip-millis",
      defaultValue = "15",
      description = "Round trip to distant sites; ${DEFAULT-VALUE}.")
  private int roundTripMillis;

  @Option(
      names = "--megabits",
      defaultValue = "10",
      description =
          "Bandwidth in each direction to distant sites; ${DEFAULT-VALUE}, 0 for no limit.")
  private int megabits;

  WanProfile wan() {
    return new WanProfile(Duration.ofMillis(roundTripMillis), megabits * 1_000_000L);
  }
}
