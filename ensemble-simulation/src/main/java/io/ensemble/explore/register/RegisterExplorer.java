package io.ensemble.explore.register;

import io.ensemble.explore.LongSet;
import io.ensemble.explore.Transition;
import io.ensemble.register.Cell;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;

/**
 * Enumerates a scenario depth first and records the fingerprints of the states that it has seen, or
 * takes random walks through a scenario that is too large.
 */
public final class RegisterExplorer {

  /**
   * The result of an exploration.
   *
   * @param scenario the explored scenario
   * @param states the number of distinct states reached
   * @param depth the longest run, in steps
   * @param complete whether the whole scenario was enumerated: the state bound was not reached
   * @param violation the steps to a history that no register allows, if one was found
   */
  public record Report(
      RegisterScenario scenario,
      long states,
      int depth,
      boolean complete,
      Optional<List<String>> violation) {

    @Override
    public String toString() {
      String end = violation.isPresent() ? "VIOLATION" : complete ? "exhausted" : "not exhausted";
      return String.format(
          "%-12s %-22s %,12d states, depth %3d, %s",
          scenario.script(), scenario.options(), states, depth, end);
    }
  }

  /** One state on the current path, and the steps from it that are still to be tried. */
  private record Frame(
      Supplier<String> reachedBy, Iterator<Transition<RegisterScenarioState>> next) {}

  private final OperationFactory factory;
  private final long stateBound;

  /**
   * @param factory the protocol to explore
   * @param stateBound the number of states at which the exploration stops
   */
  public RegisterExplorer(OperationFactory factory, long stateBound) {
    this.factory = factory;
    this.stateBound = stateBound;
  }

  /** Enumerates {@code scenario}, from sites that all hold its initial value. */
  public Report explore(RegisterScenario scenario) {
    return explore(scenario, InitialCells.same(scenario));
  }

  /** Enumerates {@code scenario} from the given cells, one for each site. */
  public Report explore(RegisterScenario scenario, List<Cell<Integer>> initial) {
    return exploreAfter(scenario, initial, List.of());
  }

  /**
   * Enumerates what may follow certain steps.
   *
   * @param firstSteps the steps that every run begins with, as reports name them
   * @throws IllegalArgumentException if one of these steps cannot be taken
   */
  public Report exploreAfter(
      RegisterScenario scenario, List<Cell<Integer>> initial, List<String> firstSteps) {
    RegisterScenarioState start = new RegisterScenarioState(scenario, factory, initial);
    for (String step : firstSteps) {
      start = take(step, RegisterSteps.from(start));
    }
    LongSet seen = new LongSet();
    Deque<Frame> path = new ArrayDeque<>();
    seen.add(start.digest());
    String begin = firstSteps.isEmpty() ? "start" : "start, then " + firstSteps;
    path.push(new Frame(() -> begin, RegisterSteps.from(start).iterator()));
    int depth = 0;
    while (!path.isEmpty()) {
      Frame frame = path.peek();
      if (!frame.next.hasNext()) {
        path.pop();
        continue;
      }
      Transition<RegisterScenarioState> step = frame.next.next();
      RegisterScenarioState after = step.take().get();
      if (!after.monitor.isExplained()) {
        List<String> violation = steps(path, step, after);
        return new Report(scenario, seen.size(), depth, false, Optional.of(violation));
      }
      if (!seen.add(after.digest())) {
        continue;
      }
      if (seen.size() >= stateBound) {
        return new Report(scenario, seen.size(), depth, false, Optional.empty());
      }
      path.push(new Frame(step.name(), RegisterSteps.from(after).iterator()));
      depth = Math.max(depth, path.size());
    }
    return new Report(scenario, seen.size(), depth, true, Optional.empty());
  }

  /** Takes {@code walks} random runs through {@code scenario}. */
  public Report walk(
      RegisterScenario scenario, List<Cell<Integer>> initial, long walks, long seed) {
    Random random = new Random(seed);
    long states = 0;
    int longest = 0;
    for (long walk = 0; walk < walks; walk++) {
      RegisterScenarioState world = new RegisterScenarioState(scenario, factory, initial);
      List<String> path = new ArrayList<>();
      List<Transition<RegisterScenarioState>> steps = RegisterSteps.from(world);
      while (!steps.isEmpty()) {
        Transition<RegisterScenarioState> step = steps.get(random.nextInt(steps.size()));
        path.add(step.what());
        states++;
        world = step.take().get();
        if (!world.monitor.isExplained()) {
          return new Report(scenario, states, path.size(), false, Optional.of(path));
        }
        steps = RegisterSteps.from(world);
      }
      longest = Math.max(longest, path.size());
    }
    return new Report(scenario, states, longest, false, Optional.empty());
  }

  private static RegisterScenarioState take(
      String name, List<Transition<RegisterScenarioState>> steps) {
    for (Transition<RegisterScenarioState> step : steps) {
      if (step.what().equals(name)) {
        return step.take().get();
      }
    }
    throw new IllegalArgumentException(
        "no such step: "
            + name
            + "; the steps are "
            + steps.stream().map(Transition::what).toList());
  }

  private static List<String> steps(
      Deque<Frame> path, Transition<RegisterScenarioState> last, RegisterScenarioState after) {
    List<String> steps = new ArrayList<>();
    for (Frame frame : path) {
      steps.add(0, frame.reachedBy.get());
    }
    steps.add(last.what() + " -> cells " + after.cells);
    return steps;
  }
}
