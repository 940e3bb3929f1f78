package io.ensemble.cli.migrations;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.check.process.CommandException;
import io.ensemble.reconfiguration.LostStoreDetector;
import io.ensemble.reconfiguration.LostStoreDetector.LostStores;

/**
 * Detects, while a command waits for a change, that the change cannot end because its new stores
 * are lost. A site that starts has none for a while, so the check is repeated.
 */
public final class LostStoreMonitor {

  /** The remedies of an operator for such a change. */
  public static final String WHAT_TO_DO =
      "the change cannot complete: start the sites again if they keep the stores on disk; or lose "
          + "the writes to these stores, by './ensemble migrations restart'; or delete the cache";

  /** The same, after a single check. */
  static final String IF_IT_STAYS =
      "check again in a minute, and if the stores are still missing, " + WHAT_TO_DO;

  private final EnsembleCacheManager manager;
  private final String cache;
  private final LostStoreDetector detector;
  private long notBefore = System.nanoTime();

  public LostStoreMonitor(EnsembleCacheManager manager, String cache) {
    this.manager = manager;
    this.cache = cache;
    this.detector = manager.changes().lostStoreDetector();
  }

  /**
   * To be called repeatedly while the change is under way.
   *
   * @throws CommandException once its stores are lost, as {@link LostStoreDetector} decides: after
   *     4 s, or 1 min if a site keeps them on disk
   */
  public void check() {
    if (System.nanoTime() - notBefore < 0) {
      return;
    }
    LostStores lost;
    try {
      lost = manager.stored(cache).map(detector::check).orElse(LostStores.NOTHING);
    } catch (CatalogException away) {
      return;
    }
    notBefore = System.nanoTime() + LostStoreDetector.APART.toNanos();
    if (lost.isConfirmed()) {
      throw new CommandException(
          "the cache '%s' %s; %s".formatted(cache, ChangeReport.lostAt(lost.sites()), WHAT_TO_DO));
    }
  }
}
