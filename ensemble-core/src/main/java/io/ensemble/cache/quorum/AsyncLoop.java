package io.ensemble.cache.quorum;

import io.ensemble.schedule.Scheduler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** A loop of asynchronous steps, which neither nests stages nor grows the stack. */
public final class AsyncLoop {

  private final Scheduler scheduler;
  private final Supplier<CompletionStage<Boolean>> step;
  private final CompletableFuture<Void> completion = new CompletableFuture<>();

  private AsyncLoop(Scheduler scheduler, Supplier<CompletionStage<Boolean>> step) {
    this.scheduler = scheduler;
    this.step = step;
  }

  /** Repeats {@code step} while its result is true; fails when a step fails. */
  public static CompletionStage<Void> whileTrue(
      Scheduler scheduler, Supplier<CompletionStage<Boolean>> step) {
    AsyncLoop loop = new AsyncLoop(scheduler, step);
    loop.runStep();
    return loop.completion;
  }

  private void runStep() {
    CompletionStage<Boolean> stage;
    try {
      stage = step.get();
    } catch (RuntimeException | Error thrown) {
      completion.completeExceptionally(thrown);
      return;
    }
    stage.whenComplete(
        (shouldContinue, failure) -> {
          if (failure != null) {
            completion.completeExceptionally(failure);
          } else if (shouldContinue) {
            scheduleNextStep();
          } else {
            completion.complete(null);
          }
        });
  }

  private void scheduleNextStep() {
    try {
      scheduler.execute(this::runStep);
    } catch (RuntimeException rejection) {
      completion.completeExceptionally(rejection);
    }
  }
}
