package io.ensemble.benchmarks;

import io.ensemble.testkit.link.WanProfile;
import java.time.Duration;
import picocli.CommandLine.Option;

/** The options for the network to sites that are far. */
final class BenchmarkWanOptions {

  @Option(
      names = "--round-trip-millis",
      defaultValue = "15",
      description = "To sites that are far, and back; ${DEFAULT-VALUE}.")
  private int roundTripMillis;

  @Option(
      names = "--megabits",
      defaultValue = "10",
      description = "A second, each way, to sites that are far; ${DEFAULT-VALUE}, 0 for no bound.")
  private int megabits;

  WanProfile wan() {
    return new WanProfile(Duration.ofMillis(roundTripMillis), megabits * 1_000_000L);
  }
}
