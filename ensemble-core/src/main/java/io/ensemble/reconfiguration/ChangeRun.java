package io.ensemble.reconfiguration;

import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.manager.OpenCaches;
import io.ensemble.migrate.Mover;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * A change of a cache that is in progress, as all processes see it. Thread-safe.
 *
 * <p>No acknowledged write is lost. Until the last phase the cache keeps its definition, and {@link
 * #cancel} cancels the change. In the last phase calls wait, within their deadlines: for a lease
 * and the clock drift, 2.2 seconds, and until all keys are compared once more. The change needs a
 * majority of the cache's present sites, or in WEAK all of them, and all new sites. At sites that
 * stay, it needs twice the memory.
 *
 * <p>This process carries the change out. If it dies, another process takes over after six seconds:
 * one that has requested the same change, {@linkplain CacheChanges#join joined} it or {@linkplain
 * CacheChanges#takeOverIfSilent watches} it. {@link io.ensemble.EnsembleCacheManager#resumeChange}
 * takes over immediately.
 *
 * <p>An SWMR cache has no writer afterwards. Its primary alone may acknowledge, and may fall silent
 * for ten seconds while the cache is sealed. The writes in the window may then be lost, as at a
 * fail-over, and are reported.
 */
public final class ChangeRun {

  private final Mover mover;
  private final OpenCaches caches;

  ChangeRun(Mover mover, OpenCaches caches) {
    this.mover = mover;
    this.caches = caches;
  }

  /**
   * Completes on the scheduler when the change has ended, with the cache's record. The record has
   * the new definition, or the former one if the change was cancelled. If a store at an unreachable
   * site is left, the record's change names it.
   *
   * <p>Fails with {@link io.ensemble.CacheDeletedException}. Fails with {@link
   * io.ensemble.site.SiteException} if a site lacks a feature that the mode requires; the cache
   * then keeps its definition. Fails with {@link IllegalStateException} if this manager is stopped
   * before; other processes then continue the change.
   */
  public CompletionStage<StoredDefinition> done() {
    return mover.completion();
  }

  /** How many keys this process has compared or copied; a change counts each key several times. */
  public long copied() {
    return mover.copied();
  }

  /** A number that grows while the change makes progress here, even if nothing is to be copied. */
  public long progress() {
    return mover.progress();
  }

  /** Whether this process carries {@code change} out. */
  public boolean isMine(ConfigurationChange change) {
    return mover.has(change);
  }

  /**
   * Cancels the change: the cache keeps its definition. The new stores are removed in the
   * background; {@link #done} completes afterwards. One round trip to the definitions, and more if
   * they change meanwhile.
   *
   * @throws IllegalStateException if it is too late, naming the phase; the change continues
   * @throws io.ensemble.catalog.record.CatalogException if the definitions cannot be read or
   *     written
   */
  public void cancel() {
    Duration longest = OpenCaches.LONGEST_LOOKUP;
    caches.waitFor(mover::cancel, longest);
  }
}
