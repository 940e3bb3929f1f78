package io.ensemble.migrate;

import io.ensemble.cache.StoreHandle;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.SiteStore;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The handle of an open store that does not change. */
record OpenStoreHandle(SiteStore store) implements StoreHandle {

  /** All of {@code stores}, of which none may be left out. */
  static KeyspaceScan.StoreGroup stretch(List<SiteStore> stores) {
    List<StoreHandle> handles = stores.stream().<StoreHandle>map(OpenStoreHandle::new).toList();
    return new KeyspaceScan.StoreGroup(handles, handles.size(), site -> false);
  }

  @Override
  public String site() {
    return store.site();
  }

  @Override
  public Optional<SiteStore> current() {
    return Optional.of(store);
  }

  @Override
  public CompletionStage<SiteStore> store(Deadline deadline) {
    return CompletableFuture.completedFuture(store);
  }
}
