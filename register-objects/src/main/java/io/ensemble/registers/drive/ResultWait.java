package io.ensemble.registers.drive;

import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** The only place of this module that blocks a thread. The stage has a deadline of its own. */
public final class ResultWait {

  private ResultWait() {}

  /**
   * Returns the result of the stage, or throws its failure. Waits until the end also if the thread
   * is interrupted, and then sets its interrupt flag.
   */
  public static <T extends @Nullable Object> T toItsEnd(CompletionStage<T> stage) {
    boolean isInterrupted = false;
    try {
      while (true) {
        try {
          return stage.toCompletableFuture().get();
        } catch (InterruptedException e) {
          isInterrupted = true;
        } catch (ExecutionException e) {
          if (e.getCause() instanceof RuntimeException unchecked) {
            throw unchecked;
          }
          if (e.getCause() instanceof Error error) {
            throw error;
          }
          throw new CompletionException(e.getCause());
        }
      }
    } finally {
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
