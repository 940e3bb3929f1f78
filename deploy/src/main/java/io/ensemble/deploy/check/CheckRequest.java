package io.ensemble.deploy.check;

import io.ensemble.Acknowledgement;
import io.ensemble.CacheDefinition;
import io.ensemble.CopyWindow;
import io.ensemble.Mode;
import io.ensemble.deploy.CommandFailure;
import io.ensemble.deploy.ExitCode;
import java.time.Duration;
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
    Set<FaultKind> faults,
    int enoughPercent,
    Duration deadline) {
  /** What a fail-over may drop; smaller than unasked, so that a run can meet it. */
  static final CopyWindow WINDOW = new CopyWindow(100, Duration.ofSeconds(2));

  /** A client process may be stopped where it stands for some seconds. */
  private static final Duration LONGEST_STOP = Duration.ofSeconds(10);

  static final int MOST_CLIENTS = 256;
  static final int MOST_PROCESSES = 16;
  static final int MOST_OPERATIONS = 5_000_000;
  private static final Duration LONGEST = Duration.ofHours(24);

  /**
   * @throws CommandFailure naming the option that is out of its bounds
   */
  public CheckRequest {
    faults = Set.copyOf(faults);
    if (acknowledgement == Acknowledgement.PRIMARY && mode != Mode.SWMR) {
      throw usage("--ack primary is for --mode swmr; got " + mode);
    }
    if (acknowledgement == Acknowledgement.PRIMARY && faults.contains(FaultKind.RECONFIGURE)) {
      throw usage("--faults reconfigure is not for --ack primary: its epochs would begin anew");
    }
    bounds("--clients", clients, MOST_CLIENTS);
    bounds("--client-processes", processes, Math.min(MOST_PROCESSES, clients));
    bounds("--operations", operations, MOST_OPERATIONS);
    bounds("--keys", keys, MOST_OPERATIONS);
    bounds("--enough", enoughPercent, 100);
    times(duration, deadline);
    for (FaultKind fault : faults) {
      if (fault.isOfObjects()) {
        throw usage("--faults %s is for --object".formatted(fault.word()));
      }
    }
  }

  static void times(Duration duration, Duration deadline) {
    if (duration.isNegative() || duration.isZero() || duration.compareTo(LONGEST) > 0) {
      throw usage("--duration wants more than nothing and at most a day; got " + duration);
    }
    if (deadline.isNegative() || deadline.isZero()) {
      throw usage("--deadline wants more than nothing; got " + deadline);
    }
  }

  static void bounds(String option, int value, int most) {
    if (value < 1 || value > most) {
      throw usage("%s wants 1 to %d; got %d".formatted(option, most, value));
    }
  }

  private static CommandFailure usage(String line) {
    return new CommandFailure(ExitCode.USAGE, line);
  }

  /** The same with those faults only that can be done to such sites. */
  public CheckRequest withPossibleFaults(int sites, int nodes, boolean killedSitesRemember) {
    Set<FaultKind> possible =
        FaultPlan.Settings.possible(faults, sites, nodes, forgetful(sites), killedSitesRemember);
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
        deadline);
  }

  /**
   * This.
   *
   * @throws CommandFailure naming a fault that cannot be done to such sites
   */
  public CheckRequest requirePossible(int sites, int nodes, boolean killedSitesRemember) {
    try {
      new FaultPlan.Settings(sites, nodes, faults, forgetful(sites), killedSitesRemember);
      return this;
    } catch (IllegalArgumentException e) {
      throw usage(String.valueOf(e.getMessage()));
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

  /** Whether the cache comes to other sites meanwhile, so that one must be spare. */
  public boolean isMoved() {
    return faults.contains(FaultKind.RECONFIGURE);
  }

  /** Of so many sites that there are, at how many the cache is. */
  int replication(int sites) {
    return isMoved() ? sites - 1 : sites;
  }

  /** The cache that is tried. */
  CacheDefinition definition(String cache, List<String> sites) {
    CacheDefinition.Builder definition =
        CacheDefinition.of(cache, mode).sites(sites).deadline(deadline);
    return isBounded()
        ? definition.acknowledgement(acknowledgement).window(WINDOW).build()
        : definition.build();
  }

  /** How many operations must have an answer. */
  long enough() {
    return (long) operations * enoughPercent / 100;
  }

  /** How many sites may be without their memory at once. */
  int forgetful(int sites) {
    return mode == Mode.WEAK ? Math.min(1, sites - 1) : (sites - 1) / 2;
  }

  /** The longest that the clients may work: on a slow machine, or while nothing is answered. */
  Duration longest() {
    return duration.multipliedBy(3).plusSeconds(60);
  }
}
