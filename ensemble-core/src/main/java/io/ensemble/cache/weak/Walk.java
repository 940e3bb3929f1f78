package io.ensemble.cache.weak;

import io.ensemble.site.SiteStore;
import io.ensemble.site.SiteStore.Scan;
import io.ensemble.site.SiteStore.Scan.Item;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** A walk over one store, a batch at a time: the next is asked for when the last is dealt with. */
final class Walk {

  private Walk() {}

  static CompletionStage<Void> over(
      Context context,
      SiteStore store,
      BooleanSupplier cancelled,
      Function<List<Item>, CompletionStage<?>> work) {
    Scan scan;
    try {
      scan = store.scan(context.options().comparison().batch());
    } catch (RuntimeException failure) {
      return CompletableFuture.failedFuture(failure);
    }
    return Async.whileTrue(
            () -> {
              if (cancelled.getAsBoolean()) {
                throw new CancellationException("the cache was closed");
              }
              return context
                  .persist(() -> scan.next(context.unhurried()))
                  .thenCompose(
                      items ->
                          items.isEmpty()
                              ? CompletableFuture.completedStage(false)
                              : work.apply(items).thenApply(done -> true));
            })
        .whenComplete((done, failure) -> scan.close());
  }
}
