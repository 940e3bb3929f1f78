package io.ensemble.cache;

import io.ensemble.schedule.Deadline;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteStore;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A cache's store at one site, which may be unreachable now and come later, or come again in
 * another incarnation. Thread-safe.
 *
 * <p>What it gives out is one incarnation: a strong operation takes its stores once and keeps to
 * them, for entry versions and votes of one incarnation mean nothing in another. When a call on a
 * store fails with {@link SiteException.Reason#STORE_LOST} the handle has noticed already and looks
 * for the next incarnation when it is next asked.
 */
public interface StoreHandle {

  /** The site's name. */
  String site();

  /** The store if it is open, without waiting; does not start opening it. */
  Optional<SiteStore> current();

  /**
   * The store, opened if need be. Fails with {@link SiteException}: at once when the last attempt
   * failed a moment ago, at the deadline at the latest. Attempts are shared by all callers and
   * spaced out while they fail. Completes on the scheduler, or at once.
   */
  CompletionStage<SiteStore> store(Deadline deadline);
}
