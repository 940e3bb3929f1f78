package io.ensemble.objects.store;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Converts an exception that a cache throws immediately to a failed stage, so that callers handle
 * one kind of failure.
 */
final class NonThrowingStage {

  private NonThrowingStage() {}

  static <T> CompletableFuture<T> of(Supplier<CompletableFuture<T>> asking) {
    try {
      return asking.get();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }
}
