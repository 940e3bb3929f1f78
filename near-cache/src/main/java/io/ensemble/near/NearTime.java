package io.ensemble.near;

import io.ensemble.schedule.Scheduler;
import java.time.Duration;

/**
 * A moment on two clocks. The monotonic clock of a virtual machine may stand still while the
 * machine is suspended, and the wall clock may be set back.
 *
 * @param nanos on the scheduler's monotonic clock
 * @param micros on the wall clock
 */
record NearTime(long nanos, long micros) {

  static NearTime now(Scheduler scheduler) {
    return new NearTime(scheduler.nanos(), scheduler.epochMicros());
  }

  /** Whether, by either clock, more than {@code limit} has passed at {@code now}. */
  boolean isOlderThan(Duration limit, NearTime now) {
    return now.nanos - nanos > limit.toNanos() || now.micros - micros > limit.toNanos() / 1_000;
  }
}
