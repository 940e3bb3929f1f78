package io.ensemble.cache.quorum;

import io.ensemble.schedule.Scheduler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** A loop of asynchronous steps, which neither nests stages nor grows the stack. */
public final class AsyncLoop {

  private final Scheduler scheduler;
  private final Supplier<CompletionStage<Boolean>> step;
  private final CompletableFuture<Void> end = new CompletableFuture<>();

  private AsyncLoop(Scheduler scheduler, Supplier<CompletionStage<Boolean>> step) {
    this.scheduler = scheduler;
    this.step = step;
  }

  /** Repeats {@code step} while its result is true; fails when a step fails. */
  public static CompletionStage<Void> whileTrue(
      Scheduler scheduler, Supplier<CompletionStage<Boolean>> step) {
    AsyncLoop steps = new AsyncLoop(scheduler, step);
    steps.next();
    return steps.end;
  }

  private void next() {
    CompletionStage<Boolean> taken;
    try {
      taken = step.get();
    } catch (RuntimeException | Error thrown) {
      end.completeExceptionally(thrown);
      return;
    }
    taken.whenComplete(
        (more, failure) -> {
          if (failure != null) {
            end.completeExceptionally(failure);
          } else if (more) {
            hop();
          } else {
            end.complete(null);
          }
        });
  }

  private void hop() {
    try {
      scheduler.execute(this::next);
    } catch (RuntimeException closed) {
      end.completeExceptionally(closed);
    }
  }
}
