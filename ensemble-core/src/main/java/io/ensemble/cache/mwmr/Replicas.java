package io.ensemble.cache.mwmr;

import io.ensemble.cache.StoreHandle;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The stores that one operation works on, one incarnation of each site: entry versions and votes of
 * one incarnation mean nothing in another.
 */
final class Replicas {

  private final List<CompletionStage<SiteStore>> stores;

  private Replicas(List<CompletionStage<SiteStore>> stores) {
    this.stores = stores;
  }

  /** The stores as they are now; those that are not open are opened meanwhile. */
  static Replicas of(List<StoreHandle> handles, Deadline deadline) {
    List<CompletionStage<SiteStore>> stores = new ArrayList<>(handles.size());
    for (StoreHandle handle : handles) {
      stores.add(
          handle
              .current()
              .<CompletionStage<SiteStore>>map(CompletableFuture::completedFuture)
              .orElseGet(() -> handle.store(deadline)));
    }
    return new Replicas(stores);
  }

  /** As {@link #of}, leaving out one site as if it were down. */
  static Replicas without(String site, List<StoreHandle> handles, Deadline deadline) {
    List<CompletionStage<SiteStore>> stores = new ArrayList<>(of(handles, deadline).stores);
    for (int i = 0; i < handles.size(); i++) {
      if (handles.get(i).site().equals(site)) {
        stores.set(
            i,
            CompletableFuture.failedFuture(
                new SiteException(site, Reason.STORE_LOST, "the site is being refilled")));
      }
    }
    return new Replicas(stores);
  }

  CompletionStage<SiteStore> store(int site) {
    return stores.get(site);
  }

  /** Whether {@code other} has the very same incarnations, all of them open. */
  boolean isSameAs(Replicas other) {
    for (int i = 0; i < stores.size(); i++) {
      CompletableFuture<SiteStore> ours = stores.get(i).toCompletableFuture();
      CompletableFuture<SiteStore> theirs = other.stores.get(i).toCompletableFuture();
      boolean same = isOpen(ours) && isOpen(theirs) && ours.getNow(null) == theirs.getNow(null);
      if (!same) {
        return false;
      }
    }
    return true;
  }

  private static boolean isOpen(CompletableFuture<SiteStore> store) {
    return store.isDone() && !store.isCompletedExceptionally();
  }
}
