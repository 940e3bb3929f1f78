package io.ensemble.site;

import io.ensemble.schedule.Deadline;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A request of a {@link RequestWindow}; its lock guards the fields. */
final class SiteRequest<T> {

  final Supplier<CompletionStage<T>> call;
  final Deadline deadline;
  final RequestSlots slots;
  final CompletableFuture<T> promise = new CompletableFuture<>();
  private final Executor answers;
  boolean probe;
  boolean lost;

  /**
   * @param slots the slots of which the request takes one
   * @param answers where the promise is completed
   */
  SiteRequest(
      Supplier<CompletionStage<T>> call, Deadline deadline, RequestSlots slots, Executor answers) {
    this.call = call;
    this.deadline = deadline;
    this.slots = slots;
    this.answers = answers;
  }

  /**
   * Completes the promise. If the scheduler has ended, the promise is completed immediately, so
   * that no caller is left waiting.
   */
  void complete(@Nullable T value, @Nullable Throwable failure) {
    Runnable completion =
        () -> {
          if (failure == null) {
            promise.complete(value);
          } else {
            promise.completeExceptionally(failure);
          }
        };
    try {
      answers.execute(completion);
    } catch (RejectedExecutionException ended) {
      completion.run();
    }
  }
}
