package io.ensemble.check.objects;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.check.faults.FaultableSites;
import io.ensemble.check.faults.TrialFaultKind;
import io.ensemble.check.faults.TrialFaultPlan;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.trial.TrialRequest;
import io.ensemble.check.workload.TrialSubject;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * What is to be tried with atomic objects.
 *
 * @param kind of the objects
 * @param store what they are stored in
 * @param stored whether states are kept apart from what orders them, however small
 * @param clients how many clients, each with one call at a time
 * @param processes how many processes they are in
 * @param operations how many calls in all, at least, unless time runs out
 * @param objects how many objects
 * @param duration over how long the calls are spread
 * @param seed of the faults and of the clients' choices
 * @param faults what may be done
 * @param enoughPercent of the calls asked for, how many must have an answer
 * @param deadline of a call
 */
public record ObjectRequest(
    TrialSubject kind,
    ObjectStoreKind store,
    boolean stored,
    int clients,
    int processes,
    int operations,
    int objects,
    Duration duration,
    long seed,
    Set<TrialFaultKind> faults,
    int enoughPercent,
    Duration deadline)
    implements TrialRequest {

  /** Two owners of each entry, of which one may die, and a majority of nodes that stays. */
  private static final int FEWEST_NODES = 3;

  /**
   * @throws CommandException naming the option that is out of its bounds
   */
  public ObjectRequest {
    faults = Set.copyOf(faults);
    TrialRequest.requireBounds(clients, processes, operations, objects, enoughPercent);
    TrialRequest.requireTimes(duration, deadline);
    for (TrialFaultKind fault : faults) {
      if (!store.faults().contains(fault)) {
        throw TrialRequest.usage(
            "--faults %s cannot be done to objects of --store %s"
                .formatted(fault.word(), store.word()));
      }
    }
    if (store == ObjectStoreKind.EMBEDDED
        && faults.contains(TrialFaultKind.CLIENT)
        && processes < FEWEST_NODES) {
      throw TrialRequest.usage(
          "--faults client wants 3 or more --client-processes with --store embedded, which are its nodes; got "
              + processes);
    }
  }

  @Override
  public String operationsAre() {
    return "calls";
  }

  @Override
  public TrialFaultPlan plan(FaultableSites sites) {
    return new TrialFaultPlan(
        seed, settings(sites.places().size(), sites.nodes(), sites.killedSitesRemember()));
  }

  /**
   * This.
   *
   * @throws CommandException naming a fault that cannot be done to such sites
   */
  public ObjectRequest requirePossible(int sites, int nodes, boolean killedSitesRemember) {
    settings(sites, nodes, killedSitesRemember);
    return this;
  }

  private TrialFaultPlan.Settings settings(int sites, int nodes, boolean killedSitesRemember) {
    try {
      return new TrialFaultPlan.Settings(
          sites, nodes, faults, (sites - 1) / 2, killedSitesRemember);
    } catch (IllegalArgumentException e) {
      throw TrialRequest.usage(String.valueOf(e.getMessage()));
    }
  }

  /** The ensemble cache that the objects are in. */
  CacheDefinition definition(String cache, List<String> sites) {
    return CacheDefinition.of(cache, Mode.MWMR).sites(sites).deadline(deadline).build();
  }

  /** What is tried, in a word or three. */
  public String words() {
    return kind.word() + " on " + store.word() + (stored ? ", stored" : "");
  }
}
