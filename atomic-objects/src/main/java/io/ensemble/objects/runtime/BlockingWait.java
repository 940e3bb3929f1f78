package io.ensemble.objects.runtime;

import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

/** The one place that waits. What it waits for has a deadline of its own. */
public final class BlockingWait {

  private BlockingWait() {}

  /**
   * What the stage completes with. Throws what it fails with, if that is unchecked.
   *
   * @throws InterruptedException if the thread is interrupted; the stage goes on
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

  /** As {@link #of}, to its end also where the thread is interrupted, which it then is after it. */
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
