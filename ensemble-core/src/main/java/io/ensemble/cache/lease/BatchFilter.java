package io.ensemble.cache.lease;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Batches of a walk without what is not for its caller. */
final class BatchFilter {

  private BatchFilter() {}

  /** The next batch with any of {@code wanted}; an empty one says that the walk is over. */
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
