package io.ensemble.testkit.site;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits in real time. */
final class RealTimeWait {

  private static final long LONGEST_SECONDS = 40;

  private RealTimeWait() {}

  static <T> T forStage(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().get(LONGEST_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof RuntimeException known) {
        throw known;
      }
      throw new AssertionError(failed.getCause());
    } catch (InterruptedException | TimeoutException late) {
      throw new AssertionError("not completed in " + LONGEST_SECONDS + " s", late);
    }
  }
}
