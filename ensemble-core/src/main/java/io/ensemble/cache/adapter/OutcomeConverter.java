package io.ensemble.cache.adapter;

import io.ensemble.QuorumUnavailableException;
import io.ensemble.UnknownOutcomeException;
import io.ensemble.WriteOutcome;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Converts typed outcomes to values and exceptions, for views whose methods return plain values.
 */
final class OutcomeConverter {

  private OutcomeConverter() {}

  /** The result; fails with the exception that corresponds to the outcome. */
  static <R> @Nullable R valueOf(String cache, WriteOutcome<R> outcome) {
    if (outcome instanceof WriteOutcome.Applied<R> applied) {
      return applied.result();
    }
    if (outcome instanceof WriteOutcome.Refused<R> refused) {
      throw new QuorumUnavailableException(cache, refused.why());
    }
    if (outcome instanceof WriteOutcome.Unknown<R> unknown) {
      throw new UnknownOutcomeException(cache, unknown.why());
    }
    return null;
  }

  /** A new future with the result of {@code outcome}. */
  static <R> CompletableFuture<@Nullable R> valueOf(
      String cache, CompletableFuture<WriteOutcome<R>> outcome) {
    CompletableFuture<@Nullable R> value = new CompletableFuture<>();
    outcome.whenComplete(
        (ended, failure) -> {
          if (failure != null) {
            value.completeExceptionally(failure);
            return;
          }
          try {
            value.complete(valueOf(cache, ended));
          } catch (RuntimeException e) {
            value.completeExceptionally(e);
          }
        });
    return value;
  }
}
