package io.ensemble.versioning.listen;

import io.ensemble.objects.runtime.TimedExecutor;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Does something again and again, with a pause after each time, until it is stopped. */
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

  /** For the first time now. */
  void begin() {
    if (!stopped) {
      CompletableFuture.completedFuture(null)
          .thenComposeAsync(nothing -> doing.get(), timedExecutor.executor())
          .whenComplete((done, failure) -> pause());
    }
  }

  /** For the first time after a pause. */
  void pause() {
    if (!stopped) {
      later(timedExecutor, pause, this::begin);
    }
  }

  void stop() {
    stopped = true;
  }

  /** Does something on the executor; not where the factory is closed meanwhile. */
  static void later(TimedExecutor timedExecutor, Duration pause, Runnable task) {
    try {
      timedExecutor
          .timer()
          .schedule(
              () -> timedExecutor.executor().execute(task), pause.toNanos(), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      return; // The factory is closed: nothing can be read any more.
    }
  }
}
