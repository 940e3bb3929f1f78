package io.ensemble.cache;

/** Opens the engine of a mode. Opening sends no request that the caller has to wait for. */
@FunctionalInterface
public interface EngineFactory {

  /** Opens an engine for {@code cache}; the caller closes it. */
  CacheEngine open(EngineContext cache);
}
