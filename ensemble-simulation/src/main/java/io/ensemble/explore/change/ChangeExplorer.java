package io.ensemble.explore.change;

import io.ensemble.explore.LongSet;
import io.ensemble.explore.Transition;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;

/**
 * Enumerates a {@link ChangeScenario} depth first, or takes random walks through a scenario that is
 * too large. The explorer reports two violations: a history that no register allows, and a cache
 * that no configuration can serve although no change is under way or the change is aborted.
 */
public final class ChangeExplorer {

  /**
   * The result of an exploration.
   *
   * @param states the number of distinct states reached; of walks, the number of steps taken
   * @param complete whether the whole scenario was enumerated
   * @param violation the steps to a violation, if one was found
   * @param switches whether some run reached the new configuration and ended there
   */
  public record Report(
      ChangeScenario scenario,
      long states,
      boolean complete,
      Optional<List<String>> violation,
      boolean switches) {

    @Override
    public String toString() {
      String end = violation.isPresent() ? "VIOLATION" : complete ? "exhausted" : "not exhausted";
      return String.format("%s %,d states, %s", scenario, states, end);
    }
  }

  private record Frame(
      Supplier<String> reachedBy, Iterator<Transition<ChangeScenarioState>> next) {}

  private final ChangeProtocol protocol;
  private final long stateBound;

  /**
   * @param protocol the protocol to explore
   * @param stateBound the number of states at which the exploration stops
   */
  public ChangeExplorer(ChangeProtocol protocol, long stateBound) {
    this.protocol = protocol;
    this.stateBound = stateBound;
  }

  /** Enumerates {@code scenario}. */
  public Report explore(ChangeScenario scenario) {
    LongSet seen = new LongSet();
    Deque<Frame> path = new ArrayDeque<>();
    ChangeScenarioState start = new ChangeScenarioState(scenario, protocol);
    boolean switches = false;
    seen.add(start.digest());
    path.push(new Frame(() -> "start", ChangeSteps.from(start).iterator()));
    while (!path.isEmpty()) {
      if (!path.peek().next.hasNext()) {
        path.pop();
        continue;
      }
      Transition<ChangeScenarioState> step = path.peek().next.next();
      ChangeScenarioState after = step.take().get();
      if (!after.isRight()) {
        List<String> steps = new ArrayList<>();
        path.forEach(frame -> steps.add(0, frame.reachedBy.get()));
        steps.add(step.what());
        return new Report(scenario, seen.size(), false, Optional.of(steps), switches);
      }
      if (!seen.add(after.digest())) {
        continue;
      }
      switches |= after.switched && after.change == null;
      if (seen.size() >= stateBound) {
        return new Report(scenario, seen.size(), false, Optional.empty(), switches);
      }
      path.push(new Frame(step.name(), ChangeSteps.from(after).iterator()));
    }
    return new Report(scenario, seen.size(), true, Optional.empty(), switches);
  }

  /** Takes {@code walks} random runs through {@code scenario}. */
  public Report walk(ChangeScenario scenario, long walks, long seed) {
    Random random = new Random(seed);
    long states = 0;
    boolean switches = false;
    for (long walk = 0; walk < walks; walk++) {
      List<String> path = new ArrayList<>();
      List<Transition<ChangeScenarioState>> steps =
          ChangeSteps.from(new ChangeScenarioState(scenario, protocol));
      while (!steps.isEmpty()) {
        Transition<ChangeScenarioState> step = steps.get(random.nextInt(steps.size()));
        path.add(step.what());
        states++;
        ChangeScenarioState after = step.take().get();
        if (!after.isRight()) {
          return new Report(scenario, states, false, Optional.of(path), switches);
        }
        switches |= after.switched && after.change == null;
        steps = ChangeSteps.from(after);
      }
    }
    return new Report(scenario, states, false, Optional.empty(), switches);
  }
}
