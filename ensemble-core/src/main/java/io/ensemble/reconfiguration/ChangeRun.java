package io.ensemble.reconfiguration;

import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.manager.OpenCaches;
import io.ensemble.migrate.Mover;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * A change of a cache that is under way, here and for all other processes. Thread-safe.
 *
 * <p>Nothing that was acknowledged is lost. Until the last step the cache stays what it was, and
 * {@link #giveUp} leaves it so; then nobody is served for a lease and the drift, 2.2 seconds, and
 * as long as it takes to compare all keys once more, while calls wait within their deadlines. Needs
 * a majority of the cache's present sites, or in WEAK all of them, and all of the new ones. Takes
 * twice the room at sites that stay. This process carries it out; if it dies, another that has
 * asked for the same change, {@linkplain CacheChanges#join joined} it or {@linkplain
 * CacheChanges#takeOverIfSilent watches} takes it over after six seconds, and {@link
 * EnsembleCacheManager#resumeChange} at once.
 *
 * <p>Of an SWMR cache the writer's place is free afterwards. Where its primary alone acknowledges,
 * and falls silent for ten seconds while the cache is sealed, what was in the window may be lost,
 * as at a fail-over, and is reported.
 */
public final class ChangeRun {

  private final Mover mover;
  private final OpenCaches caches;

  ChangeRun(Mover mover, OpenCaches caches) {
    this.mover = mover;
    this.caches = caches;
  }

  /**
   * Completes when the change is over, on the scheduler: with the cache's record, whose definition
   * is the new one, or the former one if the change was given up. A store at a site that could not
   * be reached may be left, and is then named in the record's change. Fails with {@link
   * CacheDeletedException}, and with {@link io.ensemble.site.SiteException} when a site cannot give
   * what the mode needs: then the cache is what it was. Fails with {@link IllegalStateException}
   * when this manager is stopped before: then others go on with it.
   */
  public CompletionStage<StoredDefinition> done() {
    return mover.over();
  }

  /** How many keys this process has compared or copied; each several times in the course of it. */
  public long copied() {
    return mover.copied();
  }

  /** Grows while the change makes progress here, also where nothing is to be copied. */
  public long progress() {
    return mover.progress();
  }

  /** Whether this process is the one that carries {@code change} out. */
  public boolean isMine(ConfigurationChange change) {
    return mover.has(change);
  }

  /**
   * Gives the change up: the cache stays what it is. The new stores are removed in the background;
   * {@link #done} tells. One round trip to the definitions, and more when they change meanwhile.
   *
   * @throws IllegalStateException when it is too late, naming the step; then it goes on
   * @throws io.ensemble.catalog.record.CatalogException when the definitions cannot be had
   */
  public void giveUp() {
    Duration longest = OpenCaches.LONGEST_LOOKUP;
    caches.waitFor(mover::giveUp, longest);
  }
}
