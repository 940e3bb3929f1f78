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
  private final @Nullable SiteStore[] open;

  /** The other stores; null where a store is open. Guarded by this object's lock. */
  private final @Nullable CompletableFuture<SiteStore>[] opening;

  /** The site that is left out, or -1. */
  private final int without;

  @SuppressWarnings({"unchecked", "rawtypes"})
  private StoreSet(int without, List<StoreHandle> handles, Deadline deadline) {
    this.without = without;
    this.handles = handles;
    this.deadline = deadline;
    open = new SiteStore[handles.size()];
    opening = (CompletableFuture<SiteStore>[]) new CompletableFuture[handles.size()];
    for (int i = 0; i < open.length; i++) {
      open[i] = i == without ? null : handles.get(i).current().orElse(null);
      opening[i] = open[i] == null ? opened(i) : null;
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

  private CompletableFuture<SiteStore> opened(int site) {
    StoreHandle handle = handles.get(site);
    return site == without
        ? CompletableFuture.failedFuture(
            new SiteException(handle.site(), Reason.STORE_LOST, "the site is being refilled"))
        : handle.store(deadline).toCompletableFuture();
  }

  /** The number of sites. */
  public int size() {
    return open.length;
  }

  /** Sends a request to a site; every failure is in the stage. */
  public <T> CompletionStage<T> ask(int site, Function<SiteStore, CompletionStage<T>> question) {
    SiteStore store = open[site];
    if (store == null) {
      return later(site).thenCompose(question);
    }
    try {
      return question.apply(store);
    } catch (RuntimeException | Error thrown) {
      return CompletableFuture.failedFuture(thrown);
    }
  }

  public CompletionStage<SiteStore> store(int site) {
    SiteStore store = open[site];
    return store == null ? later(site) : CompletableFuture.completedFuture(store);
  }

  private synchronized CompletionStage<SiteStore> later(int site) {
    CompletableFuture<SiteStore> present = opening[site];
    if (present == null || present.isCompletedExceptionally()) {
      present = opened(site);
      opening[site] = present;
    }
    return present;
  }

  /**
   * Whether {@code other} has exactly the same incarnations, all of them open from the beginning.
   */
  public boolean isSameAs(StoreSet other) {
    for (int i = 0; i < open.length; i++) {
      if (open[i] == null || open[i] != other.open[i]) {
        return false;
      }
    }
    return true;
  }

  /**
   * Whether {@code other} has exactly the same incarnation of one site, open from the beginning.
   */
  public boolean isSameAs(StoreSet other, int site) {
    return site < other.open.length && open[site] != null && open[site] == other.open[site];
  }
}
