package io.ensemble.explore.primary;

import io.ensemble.explore.LongSet;
import io.ensemble.explore.Transition;
import io.ensemble.register.RegisterDigest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;

/**
 * Enumerates a {@link PrimaryScenario} depth first, or takes random walks through a scenario that
 * is too large.
 */
public final class PrimaryExplorer {

  /**
   * The result of an exploration.
   *
   * @param states the number of distinct states reached; of walks, the number of steps taken
   * @param complete whether the whole scenario was enumerated
   * @param violation the steps to a history that is not allowed, if one was found
   */
  public record Report(
      PrimaryScenario scenario, long states, boolean complete, Optional<List<String>> violation) {

    @Override
    public String toString() {
      String end = violation.isPresent() ? "VIOLATION" : complete ? "exhausted" : "not exhausted";
      return String.format("%s %,d states, %s", scenario, states, end);
    }
  }

  private record Frame(
      Supplier<String> reachedBy, Iterator<Transition<PrimaryScenarioState>> next) {}

  private static final int LONGEST_WALK = 300;
  private static final double[] WEIGHTS = {0.03, 0.3, 1, 6};

  private final PrimaryProtocol protocol;
  private final long stateBound;

  /**
   * @param protocol the protocol to explore
   * @param stateBound the number of states at which the exploration stops
   */
  public PrimaryExplorer(PrimaryProtocol protocol, long stateBound) {
    this.protocol = protocol;
    this.stateBound = stateBound;
  }

  /** Enumerates {@code scenario}. */
  public Report explore(PrimaryScenario scenario) {
    LongSet seen = new LongSet();
    Deque<Frame> path = new ArrayDeque<>();
    PrimaryScenarioState start = new PrimaryScenarioState(scenario, protocol);
    seen.add(start.digest());
    path.push(new Frame(() -> "start", PrimarySteps.from(start).iterator()));
    while (!path.isEmpty()) {
      if (!path.peek().next.hasNext()) {
        path.pop();
        continue;
      }
      Transition<PrimaryScenarioState> step = path.peek().next.next();
      PrimaryScenarioState after = step.take().get();
      if (!after.monitor.isExplained()) {
        List<String> steps = new ArrayList<>();
        path.forEach(frame -> steps.add(0, frame.reachedBy.get()));
        steps.add(step.what() + " -> " + after.cells);
        return new Report(scenario, seen.size(), false, Optional.of(steps));
      }
      if (!seen.add(after.digest())) {
        continue;
      }
      if (seen.size() >= stateBound) {
        return new Report(scenario, seen.size(), false, Optional.empty());
      }
      path.push(new Frame(step.name(), PrimarySteps.from(after).iterator()));
    }
    return new Report(scenario, seen.size(), true, Optional.empty());
  }

  /**
   * Takes {@code walks} random runs through {@code scenario}. Each run prefers other kinds of
   * steps, so that some runs go far in one direction (Groce et al., Swarm Testing, 2012).
   */
  public Report walk(PrimaryScenario scenario, long walks, long seed) {
    Random random = new Random(seed);
    long states = 0;
    for (long walk = 0; walk < walks; walk++) {
      List<String> path = new ArrayList<>();
      long preference = random.nextLong();
      List<Transition<PrimaryScenarioState>> steps =
          PrimarySteps.from(new PrimaryScenarioState(scenario, protocol));
      while (!steps.isEmpty() && path.size() < LONGEST_WALK) {
        Transition<PrimaryScenarioState> step = choose(steps, preference, random);
        path.add(step.what());
        states++;
        PrimaryScenarioState after = step.take().get();
        if (!after.monitor.isExplained()) {
          path.add(after.cells.toString());
          return new Report(scenario, states, false, Optional.of(path));
        }
        steps = PrimarySteps.from(after);
      }
    }
    return new Report(scenario, states, false, Optional.empty());
  }

  private static Transition<PrimaryScenarioState> choose(
      List<Transition<PrimaryScenarioState>> steps, long preference, Random random) {
    double[] weights = new double[steps.size()];
    double all = 0;
    for (int i = 0; i < weights.length; i++) {
      String what = steps.get(i).what();
      int tag = what.indexOf(", tag=");
      long liked =
          RegisterDigest.of(preference, (tag < 0 ? what : what.substring(0, tag)).hashCode());
      weights[i] = WEIGHTS[(int) (liked >>> 8 & 3)];
      all += weights[i];
    }
    double left = random.nextDouble() * all;
    int chosen = 0;
    while (chosen < weights.length - 1 && left >= weights[chosen]) {
      left -= weights[chosen++];
    }
    return steps.get(chosen);
  }
}
