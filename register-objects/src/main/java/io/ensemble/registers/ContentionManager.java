package io.ensemble.registers;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Says how long a process waits after it has met others. An operation ends for certain only while
 * its process alone takes steps; waits of different lengths give one of the processes that time.
 * Safety does not depend on it. Thread-safe.
 */
@FunctionalInterface
public interface ContentionManager {

  /**
   * How long to wait before the next attempt.
   *
   * @param attempt how many attempts of this operation have met others, from 1
   * @param lastAttempt how long the last attempt took
   */
  Duration pause(int attempt, Duration lastAttempt);

  /** At random up to twice the last attempt's time, doubled for each attempt up to 64 times it. */
  static ContentionManager exponential() {
    return (attempt, lastAttempt) -> {
      long most = Math.max(1, lastAttempt.toNanos()) << Math.min(attempt, 6);
      return Duration.ofNanos(ThreadLocalRandom.current().nextLong(most));
    };
  }

  /** Goes on at once. */
  static ContentionManager none() {
    return (attempt, lastAttempt) -> Duration.ZERO;
  }
}
