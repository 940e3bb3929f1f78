package io.ensemble.cache.lease;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Filters the batches of a scan. */
final class BatchFilter {

  private BatchFilter() {}

  /**
   * The next batch that contains an item accepted by {@code wanted}. An empty batch means that the
   * scan is over.
   */
  static <T> CompletionStage<List<T>> of(
      Supplier<CompletionStage<List<T>>> next, Predicate<T> wanted) {
    return next.get()
        .thenCompose(
            batch -> {
              if (batch.stream().allMatch(wanted)) {
                return CompletableFuture.completedFuture(batch);
              }
              List<T> left = batch.stream().filter(wanted).toList();
              return left.isEmpty() ? of(next, wanted) : CompletableFuture.completedFuture(left);
            });
  }
}
