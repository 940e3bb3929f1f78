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
  private final BooleanSupplier closed;

  DeadlineRetry(Scheduler scheduler, BooleanSupplier closed) {
    this.scheduler = scheduler;
    this.closed = closed;
  }

  <T> CompletionStage<T> untilDone(
      Deadline deadline,
      Supplier<CompletionStage<Optional<T>>> attempt,
      Supplier<CompletionStage<T>> tooLate) {
    AtomicReference<@Nullable T> found = new AtomicReference<>();
    return AsyncLoop.whileTrue(
            scheduler,
            () ->
                attempt
                    .get()
                    .exceptionallyCompose(
                        failure ->
                            mayPass(failure) ? never() : CompletableFuture.failedFuture(failure))
                    .thenCompose(
                        result -> {
                          result.ifPresent(found::set);
                          boolean late = deadline.remainingNanos(scheduler) <= PAUSE_NANOS;
                          return result.isPresent() || late || closed.getAsBoolean()
                              ? CompletableFuture.completedFuture(false)
                              : pause();
                        }))
        .thenCompose(
            ended -> {
              T result = found.get();
              return result == null ? tooLate.get() : CompletableFuture.completedFuture(result);
            });
  }

  /** {@code deadline}, or {@code nanos} from now if that is earlier. */
  Deadline earlier(Deadline deadline, long nanos) {
    long limit = scheduler.nanos() + nanos;
    return limit - deadline.atNanos() < 0 ? deadline.at(limit) : deadline;
  }

  /**
   * The result of {@code stage}; at the deadline {@code otherwise}, whatever the stage completes
   * with later.
   */
  <T> CompletionStage<T> within(Deadline deadline, CompletionStage<T> stage, T otherwise) {
    if (stage.toCompletableFuture().isDone()) {
      return stage;
    }
    CompletableFuture<T> own = new CompletableFuture<>();
    Scheduler.Timer late;
    try {
      late =
          scheduler.after(
              Math.max(0, deadline.remainingNanos(scheduler)), () -> own.complete(otherwise));
    } catch (RejectedExecutionException ended) {
      // As at the deadline: earlier work must not end as a failure of this stage.
      return CompletableFuture.completedFuture(otherwise);
    }
    stage.whenComplete(
        (given, failure) -> {
          late.cancel();
          if (failure == null) {
            own.complete(given);
          } else {
            own.completeExceptionally(failure);
          }
        });
    return own;
  }

  private static boolean mayPass(Throwable failure) {
    Throwable why = CompletionCause.of(failure);
    return why instanceof QuorumUnavailableException || why instanceof TermRecord.NotKnownException;
  }

  private CompletionStage<Boolean> pause() {
    CompletableFuture<Boolean> over = new CompletableFuture<>();
    try {
      scheduler.after(PAUSE_NANOS, () -> over.complete(true));
    } catch (RejectedExecutionException ended) {
      over.complete(false);
    }
    return over;
  }

  /** An attempt without a result. */
  static <T> CompletionStage<Optional<T>> never() {
    return CompletableFuture.completedFuture(Optional.empty());
  }
}
