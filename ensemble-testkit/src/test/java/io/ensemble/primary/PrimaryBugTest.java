package io.ensemble.primary;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.testkit.explore.primary.PrimaryExplorer;
import io.ensemble.testkit.explore.primary.PrimaryExplorer.Report;
import io.ensemble.testkit.explore.primary.PrimaryProtocol;
import io.ensemble.testkit.explore.primary.PrimaryScenario;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The explorer of primary copies finds each planted bug, and no violation in the correct protocol.
 */
@Execution(ExecutionMode.CONCURRENT)
final class PrimaryBugTest {

  private static final long WALKS = 400_000;
  private static final long SEED = 11;

  /** The number of walks for the correct protocol. */
  private static final long RIGHT_WALKS = Boolean.getBoolean("ensemble.deep") ? 3_000 : 400;

  @ParameterizedTest
  @EnumSource(PrimaryBug.class)
  void everyPlantedBugIsCaught(PrimaryBug bug) {
    PrimaryScenario scenario = PrimaryScenario.of(bug.script(), bug.options());

    Report report = new PrimaryExplorer(bug, 0).walk(scenario, WALKS, bug.seed());

    System.out.println(bug + ": " + report);
    assertThat(report.violation()).as("%s", bug).isPresent();
  }

  @ParameterizedTest
  @EnumSource(PrimaryBug.class)
  void theProtocolItselfPassesWhereABugIsCaught(PrimaryBug bug) {
    PrimaryScenario scenario = PrimaryScenario.of(bug.script(), bug.options());

    Report report =
        new PrimaryExplorer(PrimaryProtocol.PRODUCTION, 0).walk(scenario, RIGHT_WALKS, SEED);

    assertThat(report.violation()).as("%s", bug).isEmpty();
  }
}
