package io.ensemble.zoofence.queue.executor;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Waits, on a thread that may block, for the result of an asynchronous call on the executor's
 * thread.
 */
final class BlockingBridge {
  private static final Duration FOR_EVER = Duration.ofDays(365);

  private BlockingBridge() {}

  /**
   * Starts the call and waits for its result, or until the thread is interrupted.
   *
   * @param starter starts the call on the executor's thread; its argument receives the result
   */
  static <T> T call(Executor executor, Consumer<Consumer<T>> starter) throws InterruptedException {
    try {
      return call(executor, starter, FOR_EVER);
    } catch (TimeoutException e) {
      throw new AssertionError("a wait without timeout timed out", e);
    }
  }

  /**
   * Starts the call and waits for its result, up to a limit.
   *
   * @throws TimeoutException if there is no result within the limit
   */
  static <T> T call(Executor executor, Consumer<Consumer<T>> starter, Duration timeout)
      throws InterruptedException, TimeoutException {
    var result = new CompletableFuture<T>();
    executor.execute(
        () -> {
          try {
            starter.accept(result::complete);
          } catch (RuntimeException e) {
            result.completeExceptionally(e);
          }
        });
    try {
      return result.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw new IllegalStateException("the executor could not send the request", e);
    }
  }
}
