package io.ensemble.cache.quorum;

import io.ensemble.cache.StoreHandle;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStore;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The stores that one operation works on, one incarnation of each site: entry versions and votes of
 * one incarnation mean nothing in another. A site whose store could not be opened counts as not
 * having answered yet. The next request to it opens the store again. Thread-safe.
 */
public final class StoreSet {

  private final List<StoreHandle> handles;
  private final Deadline deadline;

  /** The stores that were open from the beginning. */
  private final @Nullable SiteStore[] openStores;

  /** The other stores; null where a store is open. Guarded by this object's lock. */
  private final @Nullable CompletableFuture<SiteStore>[] openingStores;

  /** The site that is left out, or -1. */
  private final int excludedSite;

  @SuppressWarnings({"unchecked", "rawtypes"})
  private StoreSet(int excludedSite, List<StoreHandle> handles, Deadline deadline) {
    this.excludedSite = excludedSite;
    this.handles = handles;
    this.deadline = deadline;
    openStores = new SiteStore[handles.size()];
    openingStores = (CompletableFuture<SiteStore>[]) new CompletableFuture[handles.size()];
    for (int i = 0; i < openStores.length; i++) {
      openStores[i] = i == excludedSite ? null : handles.get(i).current().orElse(null);
      openingStores[i] = openStores[i] == null ? openStore(i) : null;
    }
  }

  /** The stores as they are now; stores that are not open are being opened. */
  public static StoreSet of(List<StoreHandle> handles, Deadline deadline) {
    return new StoreSet(-1, handles, deadline);
  }

  /** As {@link #of}, leaving out one site as if it were down. */
  public static StoreSet without(String site, List<StoreHandle> handles, Deadline deadline) {
    List<String> sites = handles.stream().map(StoreHandle::site).toList();
    return new StoreSet(sites.indexOf(site), handles, deadline);
  }

  private CompletableFuture<SiteStore> openStore(int site) {
    StoreHandle handle = handles.get(site);
    return site == excludedSite
        ? CompletableFuture.failedFuture(
            new SiteException(handle.site(), Reason.STORE_LOST, "the site is being refilled"))
        : handle.store(deadline).toCompletableFuture();
  }

  /** The number of sites. */
  public int size() {
    return openStores.length;
  }

  /** Sends a request to a site; every failure is in the stage. */
  public <T> CompletionStage<T> ask(int site, Function<SiteStore, CompletionStage<T>> request) {
    SiteStore store = openStores[site];
    if (store == null) {
      return openLater(site).thenCompose(request);
    }
    try {
      return request.apply(store);
    } catch (RuntimeException | Error thrown) {
      return CompletableFuture.failedFuture(thrown);
    }
  }

  public CompletionStage<SiteStore> store(int site) {
    SiteStore store = openStores[site];
    return store == null ? openLater(site) : CompletableFuture.completedFuture(store);
  }

  private synchronized CompletionStage<SiteStore> openLater(int site) {
    CompletableFuture<SiteStore> stage = openingStores[site];
    if (stage == null || stage.isCompletedExceptionally()) {
      stage = openStore(site);
      openingStores[site] = stage;
    }
    return stage;
  }

  /**
   * Whether {@code other} has exactly the same incarnations, all of them open from the beginning.
   */
  public boolean isSameAs(StoreSet other) {
    for (int i = 0; i < openStores.length; i++) {
      if (openStores[i] == null || openStores[i] != other.openStores[i]) {
        return false;
      }
    }
    return true;
  }

  /**
   * Whether {@code other} has exactly the same incarnation of one site, open from the beginning.
   */
  public boolean isSameAs(StoreSet other, int site) {
    return site < other.openStores.length
        && openStores[site] != null
        && openStores[site] == other.openStores[site];
  }
}
