package io.ensemble.schedule;

import java.time.Duration;

/**
 * The one absolute point by which a user's call ends, handed down to everything done for it.
 *
 * @param atNanos on the scheduler's monotonic clock
 */
public record Deadline(long atNanos) {

  /** {@code timeout} from now. */
  public static Deadline after(Duration timeout, Scheduler scheduler) {
    return new Deadline(scheduler.nanos() + timeout.toNanos());
  }

  /** What is left, in nanoseconds; zero or less when it has passed. */
  public long remainingNanos(Scheduler scheduler) {
    return atNanos - scheduler.nanos();
  }

  /** Whether it has passed. */
  public boolean hasPassed(Scheduler scheduler) {
    return remainingNanos(scheduler) <= 0;
  }
}
