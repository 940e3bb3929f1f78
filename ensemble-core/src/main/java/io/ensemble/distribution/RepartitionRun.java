package io.ensemble.distribution;

import io.ensemble.catalog.definition.StoredDistribution;
import io.ensemble.migrate.PartMover;
import java.util.concurrent.CompletionStage;

/**
 * A change of the parts of a distributed cache that is under way, here and for all other processes.
 * Thread-safe.
 *
 * <p>Nothing that was acknowledged is lost. Only keys that another part will have are moved, and
 * only those are held: 2.2 seconds after it has begun, calls on them wait, within their deadlines,
 * until all such keys of their former part are moved, and are refused then. The others are served
 * throughout. Walks over the cache wait, or fail, until it is over. Needs all parts. This process
 * carries it out; if it dies, another that has asked for the same change, or {@linkplain
 * CacheParts#takeOverIfSilent watches}, takes it over after six seconds, and {@link
 * CacheParts#resume} at once.
 */
public final class RepartitionRun {

  private final PartMover mover;

  RepartitionRun(PartMover mover) {
    this.mover = mover;
  }

  /**
   * Completes when the change is over, on the scheduler, with the cache's record. Fails with {@link
   * CacheDeletedException}, and with {@link IllegalStateException} when this manager is stopped.
   */
  public CompletionStage<StoredDistribution> done() {
    return mover.over();
  }

  /** How many keys this process has moved; one that was taken over from another, perhaps twice. */
  public long moved() {
    return mover.moved();
  }
}
