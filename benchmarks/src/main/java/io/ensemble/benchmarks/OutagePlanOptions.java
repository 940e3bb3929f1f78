package io.ensemble.benchmarks;

import io.ensemble.Mode;
import io.ensemble.benchmarks.contest.OutagePlan;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/** The options for measurements of the cost of a failure. */
final class OutagePlanOptions {

  @Option(
      names = "--modes",
      split = ",",
      defaultValue = "weak,swmr,mwmr",
      description = "Modes of failure, repair and drain; ${DEFAULT-VALUE}.")
  private List<Mode> modes = List.of();

  @Option(
      names = "--kills",
      split = ",",
      defaultValue = "nothing,node,site",
      description = "Targets that failure and repair kill, one run for each; ${DEFAULT-VALUE}.")
  private List<OutagePlan.Kill> kills = List.of();

  @Option(
      names = "--per-second",
      defaultValue = "200",
      description = "Operations per second of failure; ${DEFAULT-VALUE}.")
  private int perSecond;

  @Option(
      names = "--seconds",
      defaultValue = "60",
      description = "Duration of each run of failure; ${DEFAULT-VALUE}.")
  private int seconds;

  @Option(
      names = "--kill-at",
      defaultValue = "25",
      description = "Second of the kill in failure; ${DEFAULT-VALUE}.")
  private int killAt;

  OutagePlan outage(Path figures) {
    return new OutagePlan(modes, kills, perSecond, seconds, killAt, figures);
  }
}
