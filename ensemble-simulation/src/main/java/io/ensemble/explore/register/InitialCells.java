package io.ensemble.explore.register;

import io.ensemble.explore.ScenarioCall;
import io.ensemble.register.Ballot;
import io.ensemble.register.Cell;
import io.ensemble.register.Content;
import io.ensemble.stamp.WriterId;
import java.util.Collections;
import java.util.List;

/** Sites' cells at the start of a scenario. */
public final class InitialCells {

  private InitialCells() {}

  /**
   * Every site holds the scenario's initial value, written under a classic ballot; or no entry if
   * the value is 0.
   */
  public static List<Cell<Integer>> same(RegisterScenario scenario) {
    if (scenario.initial() == 0) {
      return Collections.nCopies(scenario.sites(), Cell.absent());
    }
    Ballot ballot = new Ballot(1, Ballot.Kind.CLASSIC, new WriterId(0, 50));
    return Collections.nCopies(scenario.sites(), accepted(ballot, scenario.initial()));
  }

  /** Every site holds the initial value by a fast ballot. */
  public static List<Cell<Integer>> fast(RegisterScenario scenario) {
    Ballot ballot = new Ballot(2, Ballot.Kind.FAST, new WriterId(0, 50));
    Ballot base = new Ballot(1, Ballot.Kind.CLASSIC, new WriterId(0, 51));
    Content<Integer> content =
        new Content<>(2, List.of(ballot), ScenarioCall.value(scenario.initial()));
    return Collections.nCopies(scenario.sites(), new Cell<>(ballot, ballot, base, content));
  }

  private static Cell<Integer> accepted(Ballot ballot, int value) {
    return new Cell<>(
        ballot, ballot, ballot, new Content<>(1, List.of(ballot), ScenarioCall.value(value)));
  }
}
