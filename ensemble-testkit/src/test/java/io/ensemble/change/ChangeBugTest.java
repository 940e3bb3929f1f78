package io.ensemble.change;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.testkit.explore.change.ChangeExplorer;
import io.ensemble.testkit.explore.change.ChangeExplorer.Report;
import io.ensemble.testkit.explore.change.ChangeProtocol;
import io.ensemble.testkit.explore.change.ChangeScenario;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The explorer of changes finds each planted bug, and no violation in the correct protocol. */
@Execution(ExecutionMode.CONCURRENT)
final class ChangeBugTest {

  private static final long STATES = 4_000_000;
  private static final long WALKS = 100_000;

  /** The bound for the correct protocol. */
  private static final long RIGHT_STATES = Boolean.getBoolean("ensemble.deep") ? STATES : 50_000;

  private static final long NIGHTLY_RIGHT_STATES = 400_000;

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {
        "TRUSTS_AGAIN_WITHOUT_THE_RECORD",
        "SERVES_AGAIN_WITHOUT_FENCING",
        "DOES_NOT_OUTWAIT_WHAT_IT_ABANDONS"
      })
  void plantedBugIsCaught(ChangeBug bug) {
    isCaught(bug);
  }

  /** The bugs whose search needs more than a million states. */
  @Tag("nightly")
  @ParameterizedTest
  @EnumSource(
      names = {
        "TRUSTS_AGAIN_WITHOUT_THE_RECORD",
        "SERVES_AGAIN_WITHOUT_FENCING",
        "DOES_NOT_OUTWAIT_WHAT_IT_ABANDONS"
      })
  void plantedBugInARestartIsCaught(ChangeBug bug) {
    isCaught(bug);
  }

  private static void isCaught(ChangeBug bug) {
    ChangeScenario scenario = ChangeScenario.of(bug.script(), bug.options());

    ChangeExplorer explorer = new ChangeExplorer(bug, STATES);
    Report report =
        bug.seed().isPresent()
            ? explorer.walk(scenario, WALKS, bug.seed().getAsLong())
            : explorer.explore(scenario);

    System.out.println(bug + ": " + report);
    assertThat(report.violation()).as("steps to what must not be").isPresent();
  }

  /** The scenario that exposes a bug shows no violation in the correct protocol. */
  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"CLOSES_BY_REMOVAL_ALONE", "SEALS_A_MINORITY"}) // Too large; nightly.
  void itsScenarioIsRightWithoutIt(ChangeBug bug) {
    isRightWithout(bug, RIGHT_STATES);
  }

  @Tag("nightly")
  @ParameterizedTest
  @EnumSource
  void itsScenarioIsRightWithoutItInMoreStates(ChangeBug bug) {
    isRightWithout(bug, NIGHTLY_RIGHT_STATES);
  }

  private static void isRightWithout(ChangeBug bug, long states) {
    ChangeScenario scenario = ChangeScenario.of(bug.script(), bug.options());

    Report report = new ChangeExplorer(ChangeProtocol.PRODUCTION, states).explore(scenario);

    assertThat(report.violation()).as("steps to what must not be").isEmpty();
  }
}
