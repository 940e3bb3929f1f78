package io.ensemble.cache.adapter;

import io.ensemble.CacheDefinition;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.codec.Codec;
import io.ensemble.schedule.Scheduler;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * An open cache, shared by all its views.
 *
 * @param present what the cache is now
 * @param epochMicros the clock that lifespans count from
 * @param stop closes the cache in its manager
 */
record CacheContext(
    Supplier<CacheDefinition> present,
    CacheEngine engine,
    Codec codec,
    Scheduler scheduler,
    CacheMetrics metrics,
    LongSupplier epochMicros,
    OpenFlag open,
    Runnable stop) {

  /** The same through another engine before this one. */
  CacheContext through(CacheEngine other) {
    return new CacheContext(present, other, codec, scheduler, metrics, epochMicros, open, stop);
  }

  /** What the cache is now. */
  CacheDefinition definition() {
    return present.get();
  }
}
