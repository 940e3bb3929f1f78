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

/**
 * What is to be tried.
 *
 * @param mode of the cache
 * @param acknowledgement what its writes wait for
 * @param clients how many clients, each with one operation at a time
 * @param processes how many processes they are in
 * @param operations how many operations in all, at least, unless time runs out
 * @param keys how many keys
 * @param duration over how long the operations are spread
 * @param seed of the faults and of the clients' choices
 * @param faults what may be done to sites
 * @param enoughPercent of the operations asked for, how many must have an answer
 * @param deadline of an operation
 * @param shards how many the cache has; 0 for one that has none
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
    int shards)
    implements TrialRequest {
  /** What a fail-over may drop; smaller than unasked, so that a run can meet it. */
  static final CopyWindow WINDOW = new CopyWindow(100, Duration.ofSeconds(2));

  /** A client process may be stopped where it stands for some seconds. */
  private static final Duration LONGEST_STOP = Duration.ofSeconds(10);

  /**
   * @throws CommandException naming the option that is out of its bounds
   */
  public CheckRequest {
    faults = Set.copyOf(faults);
    if (acknowledgement == Acknowledgement.PRIMARY && mode != Mode.SWMR) {
      throw TrialRequest.usage("--ack primary is for --mode swmr; got " + mode);
    }
    for (TrialFaultKind fault : faults) {
      if (acknowledgement == Acknowledgement.PRIMARY && fault.isAChange()) {
        throw TrialRequest.usage(
            "--faults %s is not for --ack primary: its epochs would begin anew"
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
    TrialRequest.requireBounds(clients, processes, operations, keys, enoughPercent);
    TrialRequest.requireTimes(duration, deadline);
    for (TrialFaultKind fault : faults) {
      if (fault.isOfObjects()) {
        throw TrialRequest.usage("--faults %s is for --object".formatted(fault.word()));
      }
      if (fault.isOfZooFence()) {
        throw TrialRequest.usage("--faults %s is for --zoofence".formatted(fault.word()));
      }
    }
  }

  /**
   * The same with those faults only that come unless others are asked for. A site is split only if
   * each store of the cache is on one node: a store on all nodes may lose acknowledged writes then.
   * Nodes that are processes are not restarted in turn, for that takes minutes.
   *
   * @param killedSitesRemember whether they are processes on disk
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
        shards);
  }

  /**
   * This.
   *
   * @throws CommandException naming a fault that cannot be done to such sites
   */
  public CheckRequest requirePossible(int sites, int nodes, boolean killedSitesRemember) {
    if (faults.contains(TrialFaultKind.REPLACE) && (!hasReplicas() || isSwmrAtTwo(sites))) {
      throw TrialRequest.usage(
          "--faults replace requires replicas, and a majority of them besides the one replaced:"
              + " --mode mwmr, or --mode swmr at one site or at three and more");
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

  /** Whether a fail-over may drop acknowledged writes, within {@link #WINDOW}. */
  boolean isBounded() {
    return acknowledgement == Acknowledgement.PRIMARY;
  }

  /** What a history is judged by then. */
  WindowLine.Bounds bounds() {
    return new WindowLine.Bounds(WINDOW.writes(), deadline.plus(LONGEST_STOP).toNanos());
  }

  /** Whether each store of the cache is on one node of its site, and not on all of them. */
  private boolean hasReplicas() {
    return mode != Mode.WEAK;
  }

  /** Whether of two sites each is to have all: neither may be lost before it has. */
  boolean isSwmrAtTwo(int sites) {
    return mode == Mode.SWMR && sites == 2;
  }

  /** Whether the cache comes to other sites meanwhile, so that one must be spare. */
  public boolean isMoved() {
    return faults.contains(TrialFaultKind.RECONFIGURE);
  }

  /** Of so many sites that there are, at how many the cache is. */
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

  /** The cache that is tried. */
  CacheDefinition definition(String cache, List<String> sites) {
    CacheDefinition.Builder definition =
        CacheDefinition.of(cache, mode).sites(sites).deadline(deadline);
    return isBounded()
        ? definition.acknowledgement(acknowledgement).window(WINDOW).build()
        : definition.build();
  }

  /**
   * How many sites may be without their memory at once. Of two sites of an SWMR cache each has what
   * was acknowledged.
   */
  int forgetful(int sites) {
    return mode == Mode.WEAK || isSwmrAtTwo(sites) ? Math.min(1, sites - 1) : (sites - 1) / 2;
  }

  /** Whether operations go on while a site is out of reach. */
  boolean survivesACut(int sites) {
    return mode == Mode.WEAK ? sites > 1 : sites > 2;
  }
}
