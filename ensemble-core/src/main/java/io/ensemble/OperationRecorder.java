package io.ensemble;

import org.jspecify.annotations.Nullable;

/**
 * Observes the operations of a manager's caches: see {@link EnsembleCacheManagerBuilder#recorder}.
 * Thread-safe.
 */
@FunctionalInterface
public interface OperationRecorder {

  /**
   * Returns the recorder of a cache that the manager opens, or null to record nothing of it. Is
   * called again when the cache is opened again. Must not block.
   *
   * @param cache the name of the cache
   * @param isPrivate whether keys are passed as HMACs, because the cache is {@linkplain Privacy
   *     private}
   */
  @Nullable CacheOperationRecorder cacheOpened(String cache, boolean isPrivate);
}
