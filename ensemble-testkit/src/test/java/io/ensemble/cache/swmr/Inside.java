package io.ensemble.cache.swmr;

import io.ensemble.cache.OpenCache;
import java.time.Duration;

/** What tests may do with a cache that users may not. */
public final class Inside {

  private Inside() {}

  /** A cache that forgets removed keys after {@code age}, however soon that is, when told to. */
  public static OpenSwmrCache sweptOnRequest(OpenCache cache, Duration age) {
    return OpenSwmrCache.sweptOnRequest(cache, age);
  }

  /** How many registers of terms a cache has open. */
  public static int registers(OpenSwmrCache cache) {
    return cache.registers();
  }
}
