package io.ensemble.cache.weak.replica;

import io.ensemble.cache.weak.WeakEngine;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteStore;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A site's copy of a cache, as given to the engine. Thread-safe; does not block. */
public interface WeakReplica {

  /** The site's name. */
  String site();

  /**
   * The store to use now: the same instance as long as the site keeps its memory, another one for
   * another incarnation, empty while the site must not be used. An incarnation that replaces a lost
   * one should be returned here after {@link WeakEngine#refill} only.
   */
  Optional<SiteStore> store();

  /**
   * As {@link #store}, but opens the store first when possible. Fails with {@link SiteException},
   * at the deadline at the latest; completes on the scheduler, or immediately.
   */
  default CompletionStage<SiteStore> open(Deadline deadline) {
    return store()
        .<CompletionStage<SiteStore>>map(CompletableFuture::completedFuture)
        .orElseGet(
            () ->
                CompletableFuture.failedFuture(
                    new SiteException(
                        site(), SiteException.Reason.STORE_LOST, "the site has no store")));
  }
}
