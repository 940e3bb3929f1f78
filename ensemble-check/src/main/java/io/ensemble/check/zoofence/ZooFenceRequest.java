package io.ensemble.check.zoofence;

import io.ensemble.check.faults.FaultableSites;
import io.ensemble.check.faults.TrialFaultKind;
import io.ensemble.check.faults.TrialFaultPlan;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.trial.TrialRequest;
import java.time.Duration;
import java.util.Set;

/**
 * What is to be tried with a deployment of ZooFence.
 *
 * @param clients how many clients, each with a session and mostly one call at a time
 * @param processes how many processes they are in
 * @param operations how many calls in all, at least, unless time runs out
 * @param keys how many znodes are created, changed and removed all the while
 * @param duration over how long the calls are spread
 * @param seed of the faults and of the clients' choices
 * @param faults what may be done
 * @param enoughPercent of the calls asked for, how many must have an answer
 * @param deadline how long proxies of its own wait for an instance, and for the outcome of a
 *     command
 */
public record ZooFenceRequest(
    int clients,
    int processes,
    int operations,
    int keys,
    Duration duration,
    long seed,
    Set<TrialFaultKind> faults,
    int enoughPercent,
    Duration deadline)
    implements TrialRequest {

  /** What can be done to a deployment of its own. */
  public static final Set<TrialFaultKind> POSSIBLE =
      Set.of(
          TrialFaultKind.KILL,
          TrialFaultKind.PAUSE,
          TrialFaultKind.CLIENT,
          TrialFaultKind.LEADER,
          TrialFaultKind.PROXY,
          TrialFaultKind.SESSION);

  /** What can be done although others run it. */
  public static final Set<TrialFaultKind> POSSIBLE_TO_OTHERS =
      Set.of(TrialFaultKind.CLIENT, TrialFaultKind.SESSION);

  /**
   * @throws CommandException naming the option that is out of its bounds
   */
  public ZooFenceRequest {
    faults = Set.copyOf(faults);
    TrialRequest.requireBounds(clients, processes, operations, keys, enoughPercent);
    TrialRequest.requireTimes(duration, deadline);
    for (TrialFaultKind fault : faults) {
      if (!POSSIBLE.contains(fault)) {
        throw TrialRequest.usage(
            "--faults %s cannot be done to a deployment of ZooFence".formatted(fault.word()));
      }
    }
  }

  @Override
  public String operationsAre() {
    return "calls";
  }

  @Override
  public TrialFaultPlan plan(FaultableSites sites) {
    int count = sites.places().size();
    return new TrialFaultPlan(seed, new TrialFaultPlan.Settings(count, 1, faults, 0, true));
  }
}
