package io.ensemble.cache.swmr;

import io.ensemble.cache.EngineContext;
import java.time.Duration;

/** What tests may do with a cache that users may not. */
public final class SwmrInternals {

  private SwmrInternals() {}

  /** A cache that forgets removed keys after {@code age}, however soon that is, when told to. */
  public static OpenSwmrCache sweptOnRequest(EngineContext cache, Duration age) {
    return OpenSwmrCache.sweptOnRequest(cache, age);
  }

  /** How many registers of terms a cache has open. */
  public static int registers(OpenSwmrCache cache) {
    return cache.registers();
  }
}
