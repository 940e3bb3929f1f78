package io.ensemble.objects.runtime;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Requests to a store that have a timeout and are retried until they succeed. */
public final class RequestRetrier {

  private static final long PAUSE_MILLIS = 20;

  private final TimedExecutor timedExecutor;
  private final Duration requestTimeout;

  /** Makes requests that time out after {@code requestTimeout}. */
  public RequestRetrier(TimedExecutor timedExecutor, Duration requestTimeout) {
    this.timedExecutor = timedExecutor;
    this.requestTimeout = requestTimeout;
  }

  /**
   * Retries a request, after a pause, until it is answered or the deadline passes; only for
   * requests that may be executed several times. Sends no request after the timer has been stopped.
   *
   * @param deadline in the time of the timer
   * @return fails as the last request did
   */
  public <T> CompletionStage<T> asked(
      Supplier<? extends CompletionStage<? extends T>> asking, long deadline) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    if (timedExecutor.timer().isShutdown()) {
      answer.completeExceptionally(new IllegalStateException("the factory is closed"));
    } else {
      attempt(asking, deadline, answer);
    }
    return answer;
  }

  private <T> void attempt(
      Supplier<? extends CompletionStage<? extends T>> asking,
      long deadline,
      CompletableFuture<T> answer) {
    this.<T>once(asking, deadline)
        .whenComplete(
            (value, failure) -> {
              if (failure == null) {
                answer.complete(value);
              } else if (timedExecutor.now() >= deadline || timedExecutor.timer().isShutdown()) {
                answer.completeExceptionally(failure);
              } else {
                pause()
                    .thenRunAsync(
                        () -> {
                          if (timedExecutor.timer().isShutdown()) { // During the pause.
                            answer.completeExceptionally(failure);
                          } else {
                            attempt(asking, deadline, answer);
                          }
                        },
                        timedExecutor.executor())
                    .exceptionally(e -> failed(answer, e));
              }
            });
  }

  private static @Nullable Void failed(CompletableFuture<?> answer, Throwable failure) {
    answer.completeExceptionally(failure);
    return null;
  }

  /** Makes one request, which ends by its timeout even if the store does not respond. */
  <T> CompletableFuture<T> once(
      Supplier<? extends CompletionStage<? extends T>> asking, long deadline) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    try {
      asking
          .get()
          .whenComplete(
              (value, failure) -> {
                if (failure == null) {
                  answer.complete(value);
                } else {
                  answer.completeExceptionally(failure);
                }
              });
    } catch (RuntimeException e) {
      answer.completeExceptionally(e);
    }
    long left = Math.max(1, deadline - timedExecutor.now());
    return answer.orTimeout(Math.min(requestTimeout.toNanos(), left), NANOSECONDS);
  }

  static CompletableFuture<@Nullable Void> none() {
    return CompletableFuture.completedFuture(null);
  }

  static CompletableFuture<@Nullable Void> pause() {
    CompletableFuture<@Nullable Void> pause = new CompletableFuture<>();
    return pause.completeOnTimeout(null, PAUSE_MILLIS, MILLISECONDS);
  }
}
