package io.ensemble.cache.face;

import io.ensemble.CacheDefinition;
import io.ensemble.CacheDeletedException;
import io.ensemble.EnsembleCache;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.secret.SealingEngine;
import io.ensemble.cache.trust.FollowingEngine;
import io.ensemble.codec.Codec;
import io.ensemble.schedule.Scheduler;
import java.time.Duration;
import java.util.function.LongSupplier;

/** Makes the faces of an open cache. Thread-safe. */
public final class CacheFaces implements AutoCloseable {

  private final Session session;

  /** What holds the cache, whether its users may see what it holds or not. */
  private final CacheEngine below;

  /**
   * @param engine closed with this; of a private cache what its users call
   * @param epochMicros the clock that lifespans count from, in microseconds since 1970
   * @param stop what {@link EnsembleCache#stop()} does
   */
  public CacheFaces(
      CacheDefinition definition,
      CacheEngine engine,
      Codec codec,
      Scheduler scheduler,
      CacheMetrics metrics,
      LongSupplier epochMicros,
      Runnable stop) {
    below = engine instanceof SealingEngine sealing ? sealing.inner() : engine;
    session =
        new Session(
            below instanceof FollowingEngine following ? following::definition : () -> definition,
            engine,
            codec,
            scheduler,
            metrics,
            epochMicros,
            new OpenFlag(),
            stop);
  }

  /**
   * The cache with its own deadline and without return values.
   *
   * @throws io.ensemble.PrivateCacheException if its users need a keyset that there is not
   */
  public <K, V> EnsembleCache<K, V> cache() {
    checkKeyset();
    Duration deadline = session.definition().deadline();
    return engine() instanceof PartedEngine parted
        ? new DistributedFace<>(session, parted, deadline, false)
        : new Face<>(session, deadline, false);
  }

  /** What the cache is now. */
  public CacheDefinition definition() {
    return session.definition();
  }

  /** Whether the engine below is of the configuration of that number. */
  public boolean isIn(long configuration) {
    return !(below instanceof FollowingEngine following) || following.number() == configuration;
  }

  /** The engine below, of the mode that the cache has now. */
  public CacheEngine engine() {
    return below instanceof FollowingEngine following ? following.inner() : below;
  }

  private void checkKeyset() {
    if (session.engine() instanceof SealingEngine sealing) {
      sealing.check();
    }
  }

  /**
   * What users of an open cache call.
   *
   * @throws IllegalStateException if it is closed
   * @throws CacheDeletedException if it is deleted
   */
  public CacheEngine running() {
    session.open().check(session.definition().name());
    checkKeyset();
    return session.engine();
  }

  /** Whether it is neither closed nor deleted. */
  public boolean isOpen() {
    return session.open().isOpen();
  }

  /** As {@link #close()}; from then on calls fail with {@link CacheDeletedException}. */
  public void closeAsDeleted() {
    session.open().delete();
    session.engine().close();
    session.metrics().close();
  }

  /** Closes all faces, then the engine. What is under way may still end. */
  @Override
  public void close() {
    session.open().close();
    session.engine().close();
    session.metrics().close();
  }
}
