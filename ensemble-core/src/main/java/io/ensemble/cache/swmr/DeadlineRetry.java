package io.ensemble.cache.swmr;

import io.ensemble.QuorumUnavailableException;
import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.quorum.AsyncLoop;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes attempts until one returns a result or the deadline is too near for another. A failure that
 * another attempt may overcome, such as a control register that does not answer, counts as no
 * result.
 */
final class DeadlineRetry {

  private static final long PAUSE_NANOS = 20_000_000;

  private final Scheduler scheduler;
  private final BooleanSupplier isClosed;

  DeadlineRetry(Scheduler scheduler, BooleanSupplier isClosed) {
    this.scheduler = scheduler;
    this.isClosed = isClosed;
  }

  <T> CompletionStage<T> retryUntilDone(
      Deadline deadline,
      Supplier<CompletionStage<Optional<T>>> attempt,
      Supplier<CompletionStage<T>> timeoutResult) {
    AtomicReference<@Nullable T> found = new AtomicReference<>();
    return AsyncLoop.whileTrue(
            scheduler,
            () ->
                attempt
                    .get()
                    .exceptionallyCompose(
                        failure ->
                            isRetryable(failure)
                                ? emptyResult()
                                : CompletableFuture.failedFuture(failure))
                    .thenCompose(
                        result -> {
                          result.ifPresent(found::set);
                          boolean isLate = deadline.remainingNanos(scheduler) <= PAUSE_NANOS;
                          return result.isPresent() || isLate || isClosed.getAsBoolean()
                              ? CompletableFuture.completedFuture(false)
                              : pause();
                        }))
        .thenCompose(
            ended -> {
              T result = found.get();
              return result == null
                  ? timeoutResult.get()
                  : CompletableFuture.completedFuture(result);
            });
  }

  /** {@code deadline}, or {@code nanos} from now if that is earlier. */
  Deadline earlierOf(Deadline deadline, long nanos) {
    long limit = scheduler.nanos() + nanos;
    return limit - deadline.atNanos() < 0 ? deadline.at(limit) : deadline;
  }

  /**
   * The result of {@code stage}; at the deadline {@code fallback}, whatever the stage completes
   * with later.
   */
  <T> CompletionStage<T> awaitWithin(Deadline deadline, CompletionStage<T> stage, T fallback) {
    if (stage.toCompletableFuture().isDone()) {
      return stage;
    }
    CompletableFuture<T> result = new CompletableFuture<>();
    Scheduler.Timer timer;
    try {
      timer =
          scheduler.after(
              Math.max(0, deadline.remainingNanos(scheduler)), () -> result.complete(fallback));
    } catch (RejectedExecutionException rejection) {
      // As at the deadline: earlier work must not end as a failure of this stage.
      return CompletableFuture.completedFuture(fallback);
    }
    stage.whenComplete(
        (value, failure) -> {
          timer.cancel();
          if (failure == null) {
            result.complete(value);
          } else {
            result.completeExceptionally(failure);
          }
        });
    return result;
  }

  private static boolean isRetryable(Throwable failure) {
    Throwable cause = CompletionCause.of(failure);
    return cause instanceof QuorumUnavailableException
        || cause instanceof TermRecord.NotKnownException;
  }

  private CompletionStage<Boolean> pause() {
    CompletableFuture<Boolean> pauseEnd = new CompletableFuture<>();
    try {
      scheduler.after(PAUSE_NANOS, () -> pauseEnd.complete(true));
    } catch (RejectedExecutionException rejection) {
      pauseEnd.complete(false);
    }
    return pauseEnd;
  }

  /** An attempt without a result. */
  static <T> CompletionStage<Optional<T>> emptyResult() {
    return CompletableFuture.completedFuture(Optional.empty());
  }
}
