package io.ensemble.check.objects;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.check.faults.FaultableSites;
import io.ensemble.check.faults.TrialFaultKind;
import io.ensemble.check.faults.TrialFaultPlan;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.trial.TrialRequest;
import io.ensemble.check.workload.RegisterKind;
import io.ensemble.check.workload.TrialSubject;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * The settings of a trial with atomic objects.
 *
 * @param kind the kind of objects
 * @param store the kind of store for the objects
 * @param stored whether states are stored separately from the log that orders them, however small
 * @param clients the number of clients, each with one call at a time
 * @param processes the number of processes with the clients
 * @param operations the minimum number of calls in all, unless time runs out
 * @param objects the number of objects
 * @param duration the time over which the calls are spread
 * @param seed the seed of the faults and of the clients' choices
 * @param faults the allowed kinds of faults
 * @param enoughPercent the share of the requested calls that must have an answer
 * @param deadline the deadline of a call
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

  /** Two owners of each entry, of which one may die, and a remaining majority of nodes. */
  private static final int FEWEST_NODES = 3;

  /**
   * @throws CommandException if an option is out of its bounds; the message names it
   */
  public ObjectRequest {
    faults = Set.copyOf(faults);
    TrialRequest.requireBounds(clients, processes, operations, objects, enoughPercent);
    TrialRequest.requireTimes(duration, deadline);
    for (TrialFaultKind fault : faults) {
      if (!store.faults().contains(fault)) {
        throw TrialRequest.usage(
            "--faults %s is not supported with --store %s".formatted(fault.word(), store.word()));
      }
    }
    if (kind instanceof RegisterKind && store != ObjectStoreKind.ENSEMBLE) {
      throw TrialRequest.usage(
          "--object %s requires --store ensemble; got --store %s"
              .formatted(kind.word(), store.word()));
    }
    if (kind instanceof RegisterKind && stored) {
      throw TrialRequest.usage("--stored is not supported with --object " + kind.word());
    }
    if (store == ObjectStoreKind.EMBEDDED
        && faults.contains(TrialFaultKind.CLIENT)
        && processes < FEWEST_NODES) {
      throw TrialRequest.usage(
          "--faults client requires 3 or more --client-processes with --store embedded, which are "
              + "its nodes; got "
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
   * Returns this object.
   *
   * @throws CommandException if such sites do not support a fault; the message names it
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

  /** The definition of the Ensemble cache for the objects. */
  CacheDefinition definition(String cache, List<String> sites) {
    return CacheDefinition.of(cache, Mode.MWMR).sites(sites).deadline(deadline).build();
  }

  /** The subject of the trial, in one to three words. */
  public String words() {
    return kind.word() + " on " + store.word() + (stored ? ", stored" : "");
  }
}
