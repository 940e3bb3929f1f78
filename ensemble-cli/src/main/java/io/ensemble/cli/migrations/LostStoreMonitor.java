package io.ensemble.cli.migrations;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.check.process.CommandException;
import io.ensemble.reconfiguration.LostStoreDetector;
import io.ensemble.reconfiguration.LostStoreDetector.Lost;

/**
 * Notices, for whoever waits for the end of a change, that there will be none: its new stores are
 * lost. A site that starts has none for a while, so it is looked again and again.
 */
public final class LostStoreMonitor {

  /** What an operator can do about such a change. */
  public static final String WHAT_TO_DO =
      "it cannot end: bring those stores back if the site has them on disk; or lose what was written"
          + " to them, by './ensemble migrations restart'; or delete the cache";

  /** The same, for whoever has looked once. */
  static final String IF_IT_STAYS = "look again in a minute, and if that stays, " + WHAT_TO_DO;

  private final EnsembleCacheManager manager;
  private final String cache;
  private final LostStoreDetector vigil;
  private long notBefore = System.nanoTime();

  public LostStoreMonitor(EnsembleCacheManager manager, String cache) {
    this.manager = manager;
    this.cache = cache;
    this.vigil = manager.changes().lostStoreDetector();
  }

  /**
   * To be called again and again while the change goes on.
   *
   * @throws CommandException once its stores are lost, as {@link LostStoreDetector} says: after
   *     four seconds, or a minute where a site keeps them on disk
   */
  public void look() {
    if (System.nanoTime() - notBefore < 0) {
      return;
    }
    Lost lost;
    try {
      lost = manager.stored(cache).map(vigil::look).orElse(Lost.NOTHING);
    } catch (CatalogException away) {
      return;
    }
    notBefore = System.nanoTime() + LostStoreDetector.APART.toNanos();
    if (lost.isForGood()) {
      throw new CommandException(
          "the cache '%s' %s; %s".formatted(cache, ChangeReport.lostAt(lost.sites()), WHAT_TO_DO));
    }
  }
}
