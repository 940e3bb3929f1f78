package io.ensemble.distribution;

import io.ensemble.catalog.definition.StoredDistribution;
import io.ensemble.migrate.PartMover;
import java.util.concurrent.CompletionStage;

/**
 * A change of the parts of a distributed cache that is in progress, as all processes see it.
 * Thread-safe.
 *
 * <p>No acknowledged write is lost. Only keys that move to another part are affected. From 2.2
 * seconds after the beginning, calls on these keys wait, within their deadlines, until all such
 * keys of their former part are moved; at their deadlines they are refused. Other keys are served
 * throughout. Iterations over the cache wait, or fail, until the change has ended. The change needs
 * all parts.
 *
 * <p>This process carries the change out. If it dies, another process takes over after six seconds:
 * one that has requested the same change, or {@linkplain CacheParts#takeOverIfSilent watches} it.
 * {@link CacheParts#resume} takes over immediately.
 */
public final class RepartitionRun {

  private final PartMover mover;

  RepartitionRun(PartMover mover) {
    this.mover = mover;
  }

  /**
   * Completes on the scheduler when the change has ended, with the cache's record. Fails with
   * {@link io.ensemble.CacheDeletedException}; and with {@link IllegalStateException} if this
   * manager is stopped.
   */
  public CompletionStage<StoredDistribution> done() {
    return mover.completion();
  }

  /**
   * How many keys this process has moved. A key may count twice if the change was taken over from
   * another process.
   */
  public long moved() {
    return mover.moved();
  }
}
