package io.ensemble.objects.runtime;

import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

/** The only place that blocks a thread. The stage that it waits for has a deadline of its own. */
public final class BlockingWait {

  private BlockingWait() {}

  /**
   * Returns the result of the stage. Throws its failure, if that is unchecked.
   *
   * @throws InterruptedException if the thread is interrupted; the stage continues
   */
  public static <T> T of(CompletionStage<T> stage) throws InterruptedException {
    try {
      return stage.toCompletableFuture().get();
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      if (cause instanceof RuntimeException unchecked) {
        throw unchecked;
      }
      if (cause instanceof Error error) {
        throw error;
      }
      throw new CompletionException(cause);
    }
  }

  /**
   * As {@link #of}, but waits until the end also if the thread is interrupted, and then sets its
   * interrupt flag.
   */
  public static <T> T toItsEnd(CompletionStage<T> stage) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return of(stage);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
