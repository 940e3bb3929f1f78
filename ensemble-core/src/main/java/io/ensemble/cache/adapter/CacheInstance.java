package io.ensemble.cache.adapter;

import io.ensemble.CacheDefinition;
import io.ensemble.CacheDeletedException;
import io.ensemble.EnsembleCache;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.encryption.EncryptingEngine;
import io.ensemble.cache.lease.ReconfigurableEngine;
import io.ensemble.cache.listen.ClientListeners;
import io.ensemble.codec.Codec;
import io.ensemble.partition.StableHash;
import io.ensemble.schedule.Scheduler;
import java.time.Duration;
import java.util.function.LongSupplier;

/** Creates the views of an open cache. Thread-safe. */
public final class CacheInstance implements AutoCloseable {

  private final CacheContext cacheContext;

  /**
   * The engine that holds the cache. For a private cache it lies below encryption, and returns
   * encrypted values.
   */
  private final CacheEngine below;

  /**
   * @param engine closed with this instance; for a private cache, the engine that its users call
   * @param epochMicros the clock that lifespans count from, in microseconds since 1970
   * @param stop implements {@link EnsembleCache#stop()}
   */
  public CacheInstance(
      CacheDefinition definition,
      CacheEngine engine,
      Codec codec,
      Scheduler scheduler,
      CacheMetrics metrics,
      LongSupplier epochMicros,
      Runnable stop) {
    this(definition, engine, codec, scheduler, metrics, epochMicros, stop, "");
  }

  /**
   * As the other constructor.
   *
   * @param birth distinguishes the cache from others of the same name, in positions of streams
   */
  public CacheInstance(
      CacheDefinition definition,
      CacheEngine engine,
      Codec codec,
      Scheduler scheduler,
      CacheMetrics metrics,
      LongSupplier epochMicros,
      Runnable stop,
      String birth) {
    below = engine instanceof EncryptingEngine sealing ? sealing.inner() : engine;
    cacheContext =
        new CacheContext(
            below instanceof ReconfigurableEngine following
                ? following::definition
                : () -> definition,
            engine,
            codec,
            scheduler,
            metrics,
            epochMicros,
            new OpenFlag(),
            stop,
            StableHash.of(definition.name() + '/' + birth),
            same -> same,
            new ClientListeners());
  }

  /**
   * The cache with its own deadline and without return values.
   *
   * @throws io.ensemble.PrivateCacheException if its users need a keyset that is missing
   */
  public <K, V> EnsembleCache<K, V> cache() {
    checkKeyset();
    Duration deadline = cacheContext.definition().deadline();
    return engine() instanceof PartitionedEngine parted
        ? new DistributedCacheAdapter<>(cacheContext, parted, deadline, false)
        : new CacheAdapter<>(cacheContext, deadline, false);
  }

  /**
   * The cache as its encoded entries.
   *
   * @throws io.ensemble.PrivateCacheException if the cache is private
   */
  public EncodedCache encoded() {
    return new EncodedCache(cacheContext);
  }

  /** The present definition of the cache. */
  public CacheDefinition definition() {
    return cacheContext.definition();
  }

  /** Whether the engine below has the configuration of that number. */
  public boolean isIn(long configuration) {
    return !(below instanceof ReconfigurableEngine following)
        || following.number() == configuration;
  }

  /** The engine below, of the mode that the cache has now. */
  public CacheEngine engine() {
    return below instanceof ReconfigurableEngine following ? following.inner() : below;
  }

  private void checkKeyset() {
    if (cacheContext.engine() instanceof EncryptingEngine sealing) {
      sealing.check();
    }
  }

  /**
   * The engine that users of an open cache call.
   *
   * @throws IllegalStateException if the cache is closed
   * @throws CacheDeletedException if the cache is deleted
   */
  public CacheEngine running() {
    cacheContext.open().check(cacheContext.definition().name());
    checkKeyset();
    return cacheContext.engine();
  }

  /** Whether the cache is neither closed nor deleted. */
  public boolean isOpen() {
    return cacheContext.open().isOpen();
  }

  /** As {@link #close()}; from then on calls fail with {@link CacheDeletedException}. */
  public void closeAsDeleted() {
    cacheContext.open().delete();
    cacheContext.listeners().close();
    cacheContext.engine().close();
    cacheContext.metrics().close();
  }

  /** Closes all views, then the engine. Calls under way may still complete. */
  @Override
  public void close() {
    cacheContext.open().close();
    cacheContext.listeners().close();
    cacheContext.engine().close();
    cacheContext.metrics().close();
  }
}
