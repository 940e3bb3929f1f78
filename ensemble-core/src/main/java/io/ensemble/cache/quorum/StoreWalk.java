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
 * A walk over the entries of one store, a batch at a time: the next is asked for when the last is
 * dealt with. It meets each entry that is there throughout at least once, or fails: the answers of
 * a store that has lost its entries count as little here as those to any other request. A walk
 * costs a round trip for each batch.
 */
public final class StoreWalk {

  /** How many entries a walk asks for at a time, unless it is said otherwise. */
  public static final int BATCH = 64;

  /**
   * The same where something is wanted soon that each entry costs several requests: half of what
   * may be under way at a site.
   */
  public static final int LARGE_BATCH = 128;

  private StoreWalk() {}

  /**
   * Walks over {@code store}.
   *
   * @param batch how many entries to ask for at a time
   * @param next asks the scan for the next entries, with a deadline, or several times
   * @param each deals with a batch, which is not empty, and says whether to go on
   * @return completes at the end of the store, or where {@code each} ends the walk; fails as the
   *     store, {@code next} and {@code each} do
   */
  public static CompletionStage<Void> over(
      Scheduler scheduler,
      SiteStore store,
      int batch,
      Function<Scan, CompletionStage<List<Item>>> next,
      Function<List<Item>, CompletionStage<Boolean>> each) {
    Scan scan;
    try {
      scan = store.scan(batch);
    } catch (RuntimeException failure) {
      return CompletableFuture.failedFuture(failure);
    }
    return AsyncLoop.whileTrue(
            scheduler,
            () ->
                next.apply(scan)
                    .thenCompose(
                        items ->
                            items.isEmpty()
                                ? CompletableFuture.completedFuture(false)
                                : each.apply(items)))
        .whenComplete((done, failure) -> scan.close());
  }
}
