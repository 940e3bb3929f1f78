package io.ensemble.deploy;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.catalog.CatalogException;
import io.ensemble.catalog.StoredDefinition;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Notices, for whoever waits for the end of a change, that there will be none: its new stores are
 * lost. A site that starts has none for a moment, so it is looked several times.
 */
final class LostWatch {

  /** What an operator can do about such a change. */
  static final String WHAT_TO_DO =
      "it cannot end: bring those stores back if the site has them on disk, or delete the cache";

  private static final int LOOKS = 3;
  private static final long APART_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final EnsembleCacheManager manager;
  private final String cache;
  private int lost;
  private long notBefore = System.nanoTime();

  LostWatch(EnsembleCacheManager manager, String cache) {
    this.manager = manager;
    this.cache = cache;
  }

  /**
   * To be called again and again while the change goes on.
   *
   * @throws CommandFailure once its stores were found lost in each of {@value #LOOKS} looks, one
   *     after the other, two seconds apart
   */
  void look() {
    if (System.nanoTime() - notBefore < 0) {
      return;
    }
    Set<String> gone;
    try {
      Optional<StoredDefinition> now = manager.stored(cache);
      gone = now.map(manager.changes()::lostStores).orElse(Set.of());
    } catch (CatalogException away) {
      return;
    }
    notBefore = System.nanoTime() + APART_NANOS;
    lost = gone.isEmpty() ? 0 : lost + 1;
    if (lost >= LOOKS) {
      throw new CommandFailure(
          "the cache '%s' %s; %s".formatted(cache, ChangeReport.lostAt(gone), WHAT_TO_DO));
    }
  }
}
