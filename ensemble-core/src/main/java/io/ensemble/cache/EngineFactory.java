package io.ensemble.cache;

/** Opens the engine of a mode. Opening sends no request that the caller has to wait for. */
@FunctionalInterface
public interface EngineFactory {

  /** An engine for {@code cache}; whoever asked closes it. */
  CacheEngine open(EngineContext cache);
}
