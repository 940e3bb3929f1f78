package io.ensemble.objects.store;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** What a cache refuses at once, as a stage that fails: whoever asks has one way to hear of it. */
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
