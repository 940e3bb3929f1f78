package io.ensemble.objects.runtime;

import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;

/**
 * The executor and timer of drivers.
 *
 * @param executor runs the methods of objects, and completes the stages of callers
 * @param timer only passes tasks to the executor
 * @param clock a monotonic time in nanoseconds; its origin has no meaning
 */
public record TimedExecutor(Executor executor, ScheduledExecutorService timer, LongSupplier clock) {

  /** With the clock of the machine. */
  public TimedExecutor(Executor executor, ScheduledExecutorService timer) {
    this(executor, timer, System::nanoTime);
  }

  /** The time that sessions get, in nanoseconds. */
  public long now() {
    return clock.getAsLong();
  }
}
