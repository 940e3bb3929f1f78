package io.ensemble.objects.runtime;

import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;

/**
 * What drivers run on.
 *
 * @param executor runs the objects' methods, and completes their callers' stages
 * @param timer only hands on to the executor
 */
public record TimedExecutor(Executor executor, ScheduledExecutorService timer) {

  /** The time that courses are told. */
  public long now() {
    return System.nanoTime();
  }
}
