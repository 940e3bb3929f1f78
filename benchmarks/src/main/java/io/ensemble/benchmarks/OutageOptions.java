package io.ensemble.benchmarks;

import io.ensemble.Mode;
import io.ensemble.benchmarks.measure.Outage;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/** How to measure what a failure costs, on the command line. */
final class OutageOptions {

  @Option(
      names = "--modes",
      split = ",",
      defaultValue = "weak,swmr,mwmr",
      description = "In which failure, repair and drain measure; ${DEFAULT-VALUE}.")
  private List<Mode> modes = List.of();

  @Option(
      names = "--kills",
      split = ",",
      defaultValue = "nothing,node,site",
      description = "What failure and repair kill, a run for each; ${DEFAULT-VALUE}.")
  private List<Outage.Kill> kills = List.of();

  @Option(
      names = "--per-second",
      defaultValue = "200",
      description = "Operations that failure begins; ${DEFAULT-VALUE}.")
  private int perSecond;

  @Option(
      names = "--seconds",
      defaultValue = "60",
      description = "How long each run of failure is; ${DEFAULT-VALUE}.")
  private int seconds;

  @Option(
      names = "--kill-at",
      defaultValue = "25",
      description = "The second in which failure kills; ${DEFAULT-VALUE}.")
  private int killAt;

  Outage outage(Path figures) {
    return new Outage(modes, kills, perSecond, seconds, killAt, figures);
  }
}
