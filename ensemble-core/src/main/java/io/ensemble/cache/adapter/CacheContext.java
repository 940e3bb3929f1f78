package io.ensemble.cache.adapter;

import io.ensemble.CacheDefinition;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.adapter.CacheExtension.CallLayer;
import io.ensemble.cache.listen.ClientListeners;
import io.ensemble.codec.Codec;
import io.ensemble.schedule.Scheduler;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * An open cache, shared by all its views.
 *
 * @param present the present definition of the cache
 * @param epochMicros the clock that lifespans count from
 * @param stop closes the cache in its manager
 * @param number a number of the cache, different for another cache of the same name
 * @param layer wraps the engine for the calls of a view on single keys
 * @param listeners objects with annotated methods that listen to the cache
 */
record CacheContext(
    Supplier<CacheDefinition> present,
    CacheEngine engine,
    Codec codec,
    Scheduler scheduler,
    CacheMetrics metrics,
    LongSupplier epochMicros,
    OpenFlag open,
    Runnable stop,
    long number,
    CallLayer layer,
    ClientListeners listeners) {

  /** The same cache, with {@code other} as its engine. */
  CacheContext through(CacheEngine other) {
    return new CacheContext(
        present,
        other,
        codec,
        scheduler,
        metrics,
        epochMicros,
        open,
        stop,
        number,
        layer,
        listeners);
  }

  /** The same cache, with calls on single keys passing through {@code other} first. */
  CacheContext below(CallLayer other) {
    return new CacheContext(
        present,
        engine,
        codec,
        scheduler,
        metrics,
        epochMicros,
        open,
        stop,
        number,
        other,
        listeners);
  }

  /** The present definition of the cache. */
  CacheDefinition definition() {
    return present.get();
  }
}
