package io.ensemble.cache.lease;

import io.ensemble.cache.StoreHandle;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.SiteStore;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A handle whose stores answer only while the site is under lease to have no end of the
 * configuration. For modes in which the answer of one site suffices. Thread-safe.
 */
public final class LeasedStoreHandle implements StoreHandle {

  private final StoreHandle handle;
  private final ConfigurationEndReader trust;
  private final int index;
  private volatile @Nullable LeasedStore last;

  /**
   * @param trust reads through handles without this rule
   * @param index the index of the site among those handles
   */
  public LeasedStoreHandle(StoreHandle handle, ConfigurationEndReader trust, int index) {
    this.handle = handle;
    this.trust = trust;
    this.index = index;
  }

  @Override
  public String site() {
    return handle.site();
  }

  @Override
  public Optional<SiteStore> current() {
    return handle.current().map(this::trusted);
  }

  @Override
  public CompletionStage<SiteStore> store(Deadline deadline) {
    return handle.store(deadline).thenApply(this::trusted);
  }

  /** Returns one object for each incarnation: engines compare incarnations by identity. */
  private SiteStore trusted(SiteStore store) {
    LeasedStore known = last;
    if (known != null && known.store() == store) {
      return known;
    }
    synchronized (this) {
      LeasedStore now = last;
      if (now == null || now.store() != store) {
        now = new LeasedStore(store, trust, index);
        last = now;
      }
      return now;
    }
  }
}
