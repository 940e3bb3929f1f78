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

  private final StoreHandle handle;
  private final UnaryOperator<SiteStore> view;

  // Both fields are guarded by this object's lock.
  private @Nullable SiteStore wholeStore;
  private @Nullable SiteStore storeView;

  private PartialStoreHandle(StoreHandle handle, UnaryOperator<SiteStore> view) {
    this.handle = handle;
    this.view = view;
  }

  public static List<StoreHandle> of(List<StoreHandle> handles, UnaryOperator<SiteStore> view) {
    return handles.stream()
        .<StoreHandle>map(handle -> new PartialStoreHandle(handle, view))
        .toList();
  }

  @Override
  public String site() {
    return handle.site();
  }

  @Override
  public Optional<SiteStore> current() {
    return handle.current().map(this::viewOf);
  }

  @Override
  public CompletionStage<SiteStore> store(Deadline deadline) {
    return handle.store(deadline).thenApply(this::viewOf);
  }

  private synchronized SiteStore viewOf(SiteStore store) {
    SiteStore currentView = storeView;
    if (currentView == null || wholeStore != store) {
      currentView = view.apply(store);
      wholeStore = store;
      storeView = currentView;
    }
    return currentView;
  }
}
