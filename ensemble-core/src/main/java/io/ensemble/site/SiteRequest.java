package io.ensemble.site;

import io.ensemble.schedule.Deadline;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One request of a {@link RequestWindow}, whose lock its fields belong to. */
final class SiteRequest<T> {

  final Supplier<CompletionStage<T>> call;
  final Deadline deadline;
  final RequestSlots slots;
  final CompletableFuture<T> promise = new CompletableFuture<>();
  private final Executor answers;
  boolean probe;
  boolean lost;

  /**
   * @param slots one of which it takes
   * @param answers where the promise is completed
   */
  SiteRequest(
      Supplier<CompletionStage<T>> call, Deadline deadline, RequestSlots slots, Executor answers) {
    this.call = call;
    this.deadline = deadline;
    this.slots = slots;
    this.answers = answers;
  }

  /** Hands the answer over. Where the scheduler has ended at once: nobody is left waiting. */
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
