package io.ensemble.cache;

import io.ensemble.schedule.Deadline;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteStore;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A cache's store at one site. The store may be unreachable for now, or reappear in another
 * incarnation. Thread-safe.
 *
 * <p>The handle returns one incarnation. A strong operation obtains its stores once and keeps them,
 * because entry versions and votes of one incarnation mean nothing in another. When a call on a
 * store fails with {@link SiteException.Reason#STORE_LOST}, the handle has recorded this already.
 * At its next use the handle looks for the next incarnation.
 */
public interface StoreHandle {

  /** The site's name. */
  String site();

  /** The store if it is open, without waiting; does not start opening it. */
  Optional<SiteStore> current();

  /**
   * The store, opened if necessary. Fails with {@link SiteException}: immediately when the last
   * attempt failed a moment ago, at the deadline at the latest. All callers share an attempt; while
   * attempts fail, they are spaced out. Completes on the scheduler, or immediately.
   */
  CompletionStage<SiteStore> store(Deadline deadline);
}
