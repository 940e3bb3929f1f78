package io.ensemble.cache.swmr.copy;

import io.ensemble.cache.StoreHandle;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.SiteStore;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A handle for a part of a store: the same view object for as long as the store is the same. */
public final class PartialStoreHandle implements StoreHandle {

  private final StoreHandle whole;
  private final UnaryOperator<SiteStore> view;

  // Both fields are guarded by this object's lock.
  private @Nullable SiteStore seen;
  private @Nullable SiteStore shown;

  private PartialStoreHandle(StoreHandle whole, UnaryOperator<SiteStore> view) {
    this.whole = whole;
    this.view = view;
  }

  public static List<StoreHandle> of(List<StoreHandle> all, UnaryOperator<SiteStore> view) {
    return all.stream().<StoreHandle>map(whole -> new PartialStoreHandle(whole, view)).toList();
  }

  @Override
  public String site() {
    return whole.site();
  }

  @Override
  public Optional<SiteStore> current() {
    return whole.current().map(this::shown);
  }

  @Override
  public CompletionStage<SiteStore> store(Deadline deadline) {
    return whole.store(deadline).thenApply(this::shown);
  }

  private synchronized SiteStore shown(SiteStore store) {
    SiteStore present = shown;
    if (present == null || seen != store) {
      present = view.apply(store);
      seen = store;
      shown = present;
    }
    return present;
  }
}
