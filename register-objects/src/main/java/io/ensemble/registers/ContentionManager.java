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

  /**
   * At random up to twice the last attempt's time, doubled for each attempt up to 64 times it, and
   * at most a second.
   */
  static ContentionManager exponential() {
    return (attempt, lastAttempt) -> {
      long longest = Duration.ofSeconds(1).toNanos();
      long last = Math.max(1, Math.min(lastAttempt.toNanos(), longest));
      long most = Math.min(last << Math.min(attempt, 6), longest);
      return Duration.ofNanos(ThreadLocalRandom.current().nextLong(most));
    };
  }

  /** Goes on without a pause. */
  static ContentionManager none() {
    return (attempt, lastAttempt) -> Duration.ZERO;
  }
}
