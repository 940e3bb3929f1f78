package io.ensemble.objects.runtime;

import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;

/**
 * The executor and timer of drivers.
 *
 * @param executor runs the methods of objects, and completes the stages of callers
 * @param timer only passes tasks to the executor
 */
public record TimedExecutor(Executor executor, ScheduledExecutorService timer) {

  /** The time that sessions get, in nanoseconds. */
  public long now() {
    return System.nanoTime();
  }
}
