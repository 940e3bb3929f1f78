package io.ensemble.cache.quorum;

import io.ensemble.schedule.Scheduler;
import io.ensemble.site.SiteStore;
import io.ensemble.site.SiteStore.Scan;
import io.ensemble.site.SiteStore.Scan.Item;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * A scan of the entries of one store, a batch at a time: the next batch is requested when the last
 * has been processed. The scan returns each entry that is present throughout at least once, or
 * fails. As with any request, responses of a store that has lost its entries do not count. A scan
 * costs one round trip for each batch.
 */
public final class StoreWalk {

  /** The default number of entries in a batch. */
  public static final int BATCH = 64;

  /**
   * The number of entries in a batch of urgent scans that send several requests for each entry:
   * half of the requests that may be under way at a site.
   */
  public static final int LARGE_BATCH = 128;

  private StoreWalk() {}

  /**
   * Scans {@code store}.
   *
   * @param batch how many entries to request at a time
   * @param nextItems requests the next entries of the scan, with a deadline, or several times
   * @param itemsHandler processes a batch, which is not empty, and says whether to go on
   * @return completes at the end of the store, or where {@code itemsHandler} ends the scan; fails
   *     as the store, {@code nextItems} and {@code itemsHandler} do
   */
  public static CompletionStage<Void> over(
      Scheduler scheduler,
      SiteStore store,
      int batch,
      Function<Scan, CompletionStage<List<Item>>> nextItems,
      Function<List<Item>, CompletionStage<Boolean>> itemsHandler) {
    Scan scan;
    try {
      scan = store.scan(batch);
    } catch (RuntimeException failure) {
      return CompletableFuture.failedFuture(failure);
    }
    return AsyncLoop.whileTrue(
            scheduler,
            () ->
                nextItems
                    .apply(scan)
                    .thenCompose(
                        items ->
                            items.isEmpty()
                                ? CompletableFuture.completedFuture(false)
                                : itemsHandler.apply(items)))
        .whenComplete((done, failure) -> scan.close());
  }
}
