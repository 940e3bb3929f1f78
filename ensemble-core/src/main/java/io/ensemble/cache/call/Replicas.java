package io.ensemble.cache.call;

import io.ensemble.cache.StoreHandle;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStore;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The stores that one operation works on, one incarnation of each site: entry versions and votes of
 * one incarnation mean nothing in another.
 */
public final class Replicas {

  /** Those that were open from the beginning. */
  private final @Nullable SiteStore[] open;

  /** The others; null where one is open. */
  private final @Nullable CompletionStage<SiteStore>[] opening;

  @SuppressWarnings({"unchecked", "rawtypes"})
  private Replicas(int sites) {
    open = new SiteStore[sites];
    opening = (CompletionStage<SiteStore>[]) new CompletionStage[sites];
  }

  /** The stores as they are now; those that are not open are opened meanwhile. */
  public static Replicas of(List<StoreHandle> handles, Deadline deadline) {
    return without("", handles, deadline);
  }

  /** As {@link #of}, leaving out one site as if it were down. */
  public static Replicas without(String site, List<StoreHandle> handles, Deadline deadline) {
    Replicas replicas = new Replicas(handles.size());
    for (int i = 0; i < handles.size(); i++) {
      StoreHandle handle = handles.get(i);
      if (handle.site().equals(site)) {
        replicas.opening[i] =
            CompletableFuture.failedFuture(
                new SiteException(site, Reason.STORE_LOST, "the site is being refilled"));
        continue;
      }
      Optional<SiteStore> store = handle.current();
      replicas.open[i] = store.orElse(null);
      replicas.opening[i] = store.isPresent() ? null : handle.store(deadline);
    }
    return replicas;
  }

  /** How many sites. */
  public int size() {
    return open.length;
  }

  /** Asks a site; whatever goes wrong is in the stage. */
  public <T> CompletionStage<T> ask(int site, Function<SiteStore, CompletionStage<T>> question) {
    SiteStore store = open[site];
    if (store == null) {
      return store(site).thenCompose(question);
    }
    try {
      return question.apply(store);
    } catch (RuntimeException | Error thrown) {
      return CompletableFuture.failedFuture(thrown);
    }
  }

  public CompletionStage<SiteStore> store(int site) {
    CompletionStage<SiteStore> later = opening[site];
    return later == null ? CompletableFuture.completedFuture(open[site]) : later;
  }

  /** Whether {@code other} has the very same incarnations, all of them open from the beginning. */
  public boolean isSameAs(Replicas other) {
    for (int i = 0; i < open.length; i++) {
      if (open[i] == null || open[i] != other.open[i]) {
        return false;
      }
    }
    return true;
  }
}
