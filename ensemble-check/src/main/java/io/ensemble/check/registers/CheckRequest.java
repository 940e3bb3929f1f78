package io.ensemble.check.registers;

import io.ensemble.Acknowledgement;
import io.ensemble.CacheDefinition;
import io.ensemble.CopyWindow;
import io.ensemble.DistributedDefinition;
import io.ensemble.Mode;
import io.ensemble.check.faults.FaultableSites;
import io.ensemble.check.faults.TrialFaultKind;
import io.ensemble.check.faults.TrialFaultPlan;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.report.WindowLine;
import io.ensemble.check.trial.TrialRequest;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a trial of a cache.
 *
 * @param mode the mode of the cache
 * @param acknowledgement the acknowledgement that its writes wait for
 * @param clients the number of clients, each with one operation at a time
 * @param processes the number of processes with the clients
 * @param operations the minimum number of operations in all, unless time runs out
 * @param keys the number of keys
 * @param duration the time over which the operations are spread
 * @param seed the seed of the faults and of the clients' choices
 * @param faults the allowed kinds of faults
 * @param enoughPercent the share of the requested operations that must have an answer
 * @param deadline the deadline of an operation
 * @param shards the number of shards of the cache; 0 for a cache without shards
 * @param staleness the staleness of the near caches that the clients use; null for none
 * @param listeners the number of listeners to the cache, each in a process of its own; 0 for none
 */
public record CheckRequest(
    Mode mode,
    Acknowledgement acknowledgement,
    int clients,
    int processes,
    int operations,
    int keys,
    Duration duration,
    long seed,
    Set<TrialFaultKind> faults,
    int enoughPercent,
    Duration deadline,
    int shards,
    @Nullable Duration staleness,
    int listeners)
    implements TrialRequest {
  /**
   * The writes that a fail-over may drop; smaller than the default, so that a run can reach the
   * bound.
   */
  static final CopyWindow WINDOW = new CopyWindow(100, Duration.ofSeconds(2));

  private static final int MOST_LISTENERS = 16;

  /** A client process may be paused for some seconds. */
  private static final Duration LONGEST_STOP = Duration.ofSeconds(10);

  /**
   * @throws CommandException if an option is out of its bounds; the message names it
   */
  public CheckRequest {
    faults = Set.copyOf(faults);
    if (acknowledgement == Acknowledgement.PRIMARY && mode != Mode.SWMR) {
      throw TrialRequest.usage("--ack primary requires --mode swmr; got " + mode);
    }
    for (TrialFaultKind fault : faults) {
      if (acknowledgement == Acknowledgement.PRIMARY && fault.isAChange()) {
        throw TrialRequest.usage(
            "--faults %s excludes --ack primary, because epochs would start again"
                .formatted(fault.word()));
      }
    }
    if (shards < 0 || shards > DistributedDefinition.MOST_PARTS) {
      throw TrialRequest.usage(
          "--shards must be 1 to %d; got %d".formatted(DistributedDefinition.MOST_PARTS, shards));
    }
    if (shards > 0 && (mode == Mode.WEAK || acknowledgement == Acknowledgement.PRIMARY)) {
      throw TrialRequest.usage(
          "--shards requires --mode mwmr, or --mode swmr without --ack primary");
    }
    if (staleness != null && acknowledgement == Acknowledgement.PRIMARY) {
      throw TrialRequest.usage("--near excludes --ack primary");
    }
    if (listeners < 0 || listeners > MOST_LISTENERS) {
      throw TrialRequest.usage(
          "--listeners must be in [1, %d]; got %d".formatted(MOST_LISTENERS, listeners));
    }
    if (listeners > 0 && acknowledgement == Acknowledgement.PRIMARY) {
      throw TrialRequest.usage(
          "--listen excludes --ack primary, because such caches have no streams");
    }
    TrialRequest.requireBounds(clients, processes, operations, keys, enoughPercent);
    TrialRequest.requireTimes(duration, deadline);
    for (TrialFaultKind fault : faults) {
      if (fault.isOfObjects()) {
        throw TrialRequest.usage("--faults %s requires --object".formatted(fault.word()));
      }
      if (fault.isOfListeners() && listeners == 0) {
        throw TrialRequest.usage("--faults %s requires --listen".formatted(fault.word()));
      }
      if (fault.isOfZooFence()) {
        throw TrialRequest.usage("--faults %s requires --zoofence".formatted(fault.word()));
      }
    }
  }

  /**
   * The same with the default faults only. A site is split only if each store of the cache is on
   * one node: a store on all nodes may lose acknowledged writes then. There is no rolling restart
   * of nodes that are processes, because that takes minutes.
   *
   * @param killedSitesRemember whether the nodes are processes on disk
   */
  public CheckRequest withPossibleFaults(int sites, int nodes, boolean killedSitesRemember) {
    Set<TrialFaultKind> possible =
        new HashSet<>(
            TrialFaultPlan.Settings.possible(
                faults, sites, nodes, forgetful(sites), killedSitesRemember));
    if (!hasReplicas()) {
      possible.remove(TrialFaultKind.SPLIT);
    }
    if (killedSitesRemember) {
      possible.remove(TrialFaultKind.ROLLING);
    }
    return new CheckRequest(
        mode,
        acknowledgement,
        clients,
        processes,
        operations,
        keys,
        duration,
        seed,
        possible,
        enoughPercent,
        deadline,
        shards,
        staleness,
        listeners);
  }

  /**
   * Returns this object.
   *
   * @throws CommandException if such sites do not support a fault; the message names it
   */
  public CheckRequest requirePossible(int sites, int nodes, boolean killedSitesRemember) {
    if (faults.contains(TrialFaultKind.REPLACE) && (!hasReplicas() || isSwmrAtTwo(sites))) {
      throw TrialRequest.usage(
          "--faults replace requires a majority of replicas besides the replaced one: --mode mwmr, "
              + "or --mode swmr at one site or at three or more");
    }
    if (shards > 0 && (faults.contains(TrialFaultKind.REPLACE) || isMoved())) {
      throw TrialRequest.usage("--shards excludes the faults replace and reconfigure");
    }
    if (faults.contains(TrialFaultKind.REPLACE) && isMoved()) {
      throw TrialRequest.usage(
          "--faults replace excludes reconfigure: a cache has one change at a time");
    }
    try {
      new TrialFaultPlan.Settings(sites, nodes, faults, forgetful(sites), killedSitesRemember);
      return this;
    } catch (IllegalArgumentException e) {
      throw TrialRequest.usage(String.valueOf(e.getMessage()));
    }
  }

  /** Whether streams of changes are judged, too. */
  boolean isListening() {
    return listeners > 0;
  }

  /** Whether a fail-over may drop acknowledged writes, within {@link #WINDOW}. */
  boolean isBounded() {
    return acknowledgement == Acknowledgement.PRIMARY;
  }

  /** The bounds by which a history is judged in that case. */
  WindowLine.Bounds bounds() {
    return new WindowLine.Bounds(WINDOW.writes(), deadline.plus(LONGEST_STOP).toNanos());
  }

  /** Whether each store of the cache is on one node of its site, and not on all of them. */
  private boolean hasReplicas() {
    return mode != Mode.WEAK;
  }

  /** Whether each of two sites must hold all data, so that neither may be lost before it does. */
  boolean isSwmrAtTwo(int sites) {
    return mode == Mode.SWMR && sites == 2;
  }

  /** Whether the cache moves to other sites meanwhile, so that one site must be spare. */
  public boolean isMoved() {
    return faults.contains(TrialFaultKind.RECONFIGURE);
  }

  /** The number of sites of the cache, out of {@code sites}. */
  int replication(int sites) {
    return isMoved() ? sites - 1 : sites;
  }

  @Override
  public String operationsAre() {
    return "operations";
  }

  @Override
  public TrialFaultPlan plan(FaultableSites sites) {
    int all = sites.places().size();
    return new TrialFaultPlan(
        seed,
        new TrialFaultPlan.Settings(
            all, sites.nodes(), faults, forgetful(replication(all)), sites.killedSitesRemember()));
  }

  /** The definition of the cache under test. */
  CacheDefinition definition(String cache, List<String> sites) {
    CacheDefinition.Builder definition =
        CacheDefinition.of(cache, mode).sites(sites).deadline(deadline);
    return isBounded()
        ? definition.acknowledgement(acknowledgement).window(WINDOW).build()
        : definition.build();
  }

  /**
   * The number of sites that may be without their memory at the same time. With two sites, each
   * site of an SWMR cache holds all acknowledged writes.
   */
  int forgetful(int sites) {
    return mode == Mode.WEAK || isSwmrAtTwo(sites) ? Math.min(1, sites - 1) : (sites - 1) / 2;
  }

  /** Whether operations continue while a site is unreachable. */
  boolean survivesACut(int sites) {
    return mode == Mode.WEAK ? sites > 1 : sites > 2;
  }
}
