package io.ensemble.check.trial;

import io.ensemble.check.faults.FaultableSites;
import io.ensemble.check.faults.TrialFaultKind;
import io.ensemble.check.faults.TrialFaultPlan;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import java.time.Duration;
import java.util.Set;

/** What is to be tried, of whatever: how much, for how long, among which faults. */
public interface TrialRequest {

  int MOST_PROCESSES = 16;
  int MOST_CLIENTS = 256;
  int MOST_OPERATIONS = 5_000_000;
  Duration LONGEST = Duration.ofHours(24);

  /** How many clients, each with one operation at a time. */
  int clients();

  /** How many processes they are in. */
  int processes();

  /** How many operations in all, at least, unless time runs out. */
  int operations();

  /** Over how long the operations are spread. */
  Duration duration();

  /** Of the faults and of the clients' choices. */
  long seed();

  /** What may be done. */
  Set<TrialFaultKind> faults();

  /** Of the operations asked for, how many must have an answer. */
  int enoughPercent();

  /** What its operations are called. */
  String operationsAre();

  /** What is done to such sites, in which order follows from the seed. */
  TrialFaultPlan plan(FaultableSites sites);

  /** How many operations must have an answer. */
  default long enough() {
    return (long) operations() * enoughPercent() / 100;
  }

  /**
   * The system property with the number of seconds that clients may work beyond three times the
   * duration; 60 if it is not set.
   */
  String GRACE_PROPERTY = "ensemble.check.grace";

  /** The longest that the clients may work: on a slow machine, or while nothing is answered. */
  default Duration longest() {
    return duration().multipliedBy(3).plusSeconds(Integer.getInteger(GRACE_PROPERTY, 60));
  }

  /**
   * @throws CommandException naming the option that is out of its bounds
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
   * @throws CommandException naming the option that is out of its bounds
   */
  static void requireTimes(Duration duration, Duration deadline) {
    if (duration.isNegative() || duration.isZero() || duration.compareTo(LONGEST) > 0) {
      throw usage("--duration wants more than nothing and at most a day; got " + duration);
    }
    if (deadline.isNegative() || deadline.isZero()) {
      throw usage("--deadline wants more than nothing; got " + deadline);
    }
  }

  private static void bounds(String option, int value, int most) {
    if (value < 1 || value > most) {
      throw usage("%s wants 1 to %d; got %d".formatted(option, most, value));
    }
  }

  /** What is wrong with the command line. */
  static CommandException usage(String line) {
    return new CommandException(ExitCode.USAGE, line);
  }
}
