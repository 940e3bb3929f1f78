package io.ensemble.check.zoofence;

import io.ensemble.check.faults.FaultableSites;
import io.ensemble.check.faults.TrialFaultKind;
import io.ensemble.check.faults.TrialFaultPlan;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.trial.TrialRequest;
import java.time.Duration;
import java.util.Set;

/**
 * The settings of a trial of a ZooFence deployment.
 *
 * @param clients the number of clients, each with a session and usually one call at a time
 * @param processes the number of processes with the clients
 * @param operations the minimum number of calls in all, unless time runs out
 * @param keys the number of znodes that are created, changed and removed during the trial
 * @param duration the time over which the calls are spread
 * @param seed the seed of the faults and of the clients' choices
 * @param faults the allowed kinds of faults
 * @param enoughPercent the share of the requested calls that must have an answer
 * @param deadline the time that the trial's own proxies wait for an instance, and for the outcome
 *     of a command
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

  /** The faults that a deployment of the trial's own supports. */
  public static final Set<TrialFaultKind> POSSIBLE =
      Set.of(
          TrialFaultKind.KILL,
          TrialFaultKind.PAUSE,
          TrialFaultKind.CLIENT,
          TrialFaultKind.LEADER,
          TrialFaultKind.PROXY,
          TrialFaultKind.SESSION);

  /** The faults that a deployment run by others supports. */
  public static final Set<TrialFaultKind> POSSIBLE_TO_OTHERS =
      Set.of(TrialFaultKind.CLIENT, TrialFaultKind.SESSION);

  /**
   * @throws CommandException if an option is out of its bounds; the message names it
   */
  public ZooFenceRequest {
    faults = Set.copyOf(faults);
    TrialRequest.requireBounds(clients, processes, operations, keys, enoughPercent);
    TrialRequest.requireTimes(duration, deadline);
    for (TrialFaultKind fault : faults) {
      if (!POSSIBLE.contains(fault)) {
        throw TrialRequest.usage(
            "--faults %s is not supported with --zoofence".formatted(fault.word()));
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
