package io.ensemble.versioning.listen;

import io.ensemble.objects.runtime.TimedExecutor;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Repeats a task, with a pause after each run, until it is stopped. */
final class RepeatingTask {

  private final TimedExecutor timedExecutor;
  private final Duration pause;
  private final Supplier<CompletionStage<?>> doing;
  private volatile boolean stopped;

  RepeatingTask(TimedExecutor timedExecutor, Duration pause, Supplier<CompletionStage<?>> doing) {
    this.timedExecutor = timedExecutor;
    this.pause = pause;
    this.doing = doing;
  }

  /** Runs the task for the first time now. */
  void begin() {
    if (!stopped) {
      CompletableFuture.completedFuture(null)
          .thenComposeAsync(nothing -> doing.get(), timedExecutor.executor())
          .whenComplete((done, failure) -> pause());
    }
  }

  /** Runs the task for the first time after a pause. */
  void pause() {
    if (!stopped) {
      later(timedExecutor, pause, this::begin);
    }
  }

  void stop() {
    stopped = true;
  }

  /** Runs a task on the executor after a pause; drops it if the factory is closed meanwhile. */
  static void later(TimedExecutor timedExecutor, Duration pause, Runnable task) {
    try {
      timedExecutor
          .timer()
          .schedule(
              () -> timedExecutor.executor().execute(task), pause.toNanos(), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      return; // The factory is closed, so no read is possible.
    }
  }
}
