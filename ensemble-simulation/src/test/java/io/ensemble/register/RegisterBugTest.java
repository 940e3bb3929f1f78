package io.ensemble.register;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.explore.register.RegisterExplorer;
import io.ensemble.explore.register.RegisterExplorer.Report;
import io.ensemble.explore.register.RegisterScenario;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The explorer finds each planted bug. */
@Execution(ExecutionMode.CONCURRENT)
final class RegisterBugTest {

  private static final long STATES = 4_000_000;
  private static final long WALKS = 1_000_000;

  @ParameterizedTest
  @EnumSource
  void plantedBugIsCaught(RegisterBug bug) {
    RegisterScenario scenario = RegisterScenario.of(bug.script()).with(bug.options());

    RegisterExplorer explorer = new RegisterExplorer(bug, STATES);
    Report report =
        bug.seed().isPresent()
            ? explorer.walk(scenario, bug.initial(scenario), WALKS, bug.seed().getAsLong())
            : explorer.exploreAfter(scenario, bug.initial(scenario), bug.firstSteps());

    System.out.println(bug + ": " + report);
    assertThat(report.violation()).as("steps to a wrong history").isPresent();
  }
}
