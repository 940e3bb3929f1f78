package io.ensemble.cli.backup;

import io.ensemble.QuorumUnavailableException;
import io.ensemble.UnknownOutcomeException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Calls that may be repeated. A call fails by the deadline of its cache, which bounds the time
 * between two of them.
 */
final class RepeatedCall {

  /** How often a call is made at most. */
  static final int ATTEMPTS = 5;

  private RepeatedCall() {}

  /**
   * The result of the first call that does not fail because too few sites answer. An error of
   * another kind, and that of the last call, fails the stage.
   */
  static <T> CompletionStage<T> of(Supplier<? extends CompletionStage<T>> call) {
    return attempt(call, ATTEMPTS);
  }

  private static <T> CompletionStage<T> attempt(
      Supplier<? extends CompletionStage<T>> call, int left) {
    return call.get()
        .exceptionallyCompose(
            failure ->
                left > 1 && isTemporary(failure)
                    ? attempt(call, left - 1)
                    : CompletableFuture.failedFuture(unwrapped(failure)));
  }

  private static boolean isTemporary(Throwable failure) {
    Throwable cause = unwrapped(failure);
    return cause instanceof QuorumUnavailableException || cause instanceof UnknownOutcomeException;
  }

  private static Throwable unwrapped(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  /** Waits for a stage; throws its failure without the wrapper. */
  static <T> T await(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw e;
    }
  }
}
