package io.ensemble.check.trial;

import io.ensemble.check.faults.FaultableSites;
import io.ensemble.check.faults.TrialFaultKind;
import io.ensemble.check.faults.TrialFaultPlan;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import java.time.Duration;
import java.util.Set;

/** The settings of a trial of any subject: its size, its duration, its faults. */
public interface TrialRequest {

  int MOST_PROCESSES = 16;
  int MOST_CLIENTS = 256;
  int MOST_OPERATIONS = 5_000_000;
  Duration LONGEST = Duration.ofHours(24);

  /**
   * The distance between the first numbers of the operations, and of the clients, of two processes;
   * no process performs as many.
   */
  long OPERATIONS_APART = 100_000_000;

  /** The number of clients, each with one operation at a time. */
  int clients();

  /** The number of processes with the clients. */
  int processes();

  /** The minimum number of operations in all, unless time runs out. */
  int operations();

  /** The time over which the operations are spread. */
  Duration duration();

  /** The seed of the faults and of the clients' choices. */
  long seed();

  /** The allowed kinds of faults. */
  Set<TrialFaultKind> faults();

  /** The share of the requested operations that must have an answer. */
  int enoughPercent();

  /** The word for its operations. */
  String operationsAre();

  /** The faults of such sites; their order follows from the seed. */
  TrialFaultPlan plan(FaultableSites sites);

  /** The number of operations that must have an answer. */
  default long enough() {
    return (long) operations() * enoughPercent() / 100;
  }

  /**
   * Whether the clients have done enough. Failed operations may end so fast that all requested ones
   * are over before the sites serve again; the clients continue until enough have an answer.
   *
   * @param sum the sum of all operations so far
   */
  default boolean isSatisfiedBy(ClientMessage sum) {
    return sum.done() >= operations() && sum.completed() >= enough();
  }

  /**
   * The system property with the number of seconds that clients may work beyond three times the
   * duration; 60 if it is not set.
   */
  String GRACE_PROPERTY = "ensemble.check.grace";

  /** The maximum time for the clients, on a slow machine or while no request is answered. */
  default Duration longest() {
    return duration().multipliedBy(3).plusSeconds(Integer.getInteger(GRACE_PROPERTY, 60));
  }

  /**
   * The maximum number of operations of clients with this share: as many as their pace allows until
   * time runs out. Calls that fail at once may use up any smaller number during one outage.
   */
  default long mostOperations(long share) {
    long durations = 1 + longest().dividedBy(duration());
    return Math.min(OPERATIONS_APART - 1, share * durations);
  }

  /**
   * @throws CommandException if an option is out of its bounds; the message names it
   */
  static void requireBounds(
      int clients, int processes, int operations, int keys, int enoughPercent) {
    bounds("--clients", clients, MOST_CLIENTS);
    bounds("--client-processes", processes, Math.min(MOST_PROCESSES, clients));
    bounds("--operations", operations, MOST_OPERATIONS);
    bounds("--keys", keys, MOST_OPERATIONS);
    bounds("--enough", enoughPercent, 100);
  }

  /**
   * @throws CommandException if an option is out of its bounds; the message names it
   */
  static void requireTimes(Duration duration, Duration deadline) {
    if (duration.isNegative() || duration.isZero() || duration.compareTo(LONGEST) > 0) {
      throw usage("--duration must be in (0 s, 1 d]; got " + duration);
    }
    if (deadline.isNegative() || deadline.isZero()) {
      throw usage("--deadline must be above zero; got " + deadline);
    }
  }

  private static void bounds(String option, int value, int most) {
    if (value < 1 || value > most) {
      throw usage("%s must be in [1, %d]; got %d".formatted(option, most, value));
    }
  }

  /** The failure for an invalid command line. */
  static CommandException usage(String line) {
    return new CommandException(ExitCode.USAGE, line);
  }
}
