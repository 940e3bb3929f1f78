package io.ensemble.cache.swmr;

import io.ensemble.cache.EngineContext;
import java.time.Duration;

/** Gives tests access to package-private parts of a cache. */
public final class SwmrInternals {

  private SwmrInternals() {}

  /**
   * A cache that sweeps only on request, and removes tombstones that are older than {@code age}.
   */
  public static OpenSwmrCache openWithoutSweeper(EngineContext cache, Duration age) {
    return OpenSwmrCache.openWithoutSweeper(cache, age);
  }

  /** The number of term registers that a cache has open. */
  public static int registers(OpenSwmrCache cache) {
    return cache.registers();
  }
}
