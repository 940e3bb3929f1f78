package io.ensemble.cache;

import io.ensemble.CacheDefinition;
import io.ensemble.schedule.Scheduler;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.WriterId;
import java.util.List;
import java.util.Optional;

/**
 * What an engine is given.
 *
 * @param definition what the cache is
 * @param stores one handle for each site, in the definition's order
 * @param localSite the site that is near; empty when none is, or when it does not hold this cache
 * @param scheduler where everything runs
 * @param clock hybrid time, shared by all caches of the manager
 * @param writer who writes: one for each manager, never used again
 * @param metrics where the engine reports round trips and lag
 */
public record EngineContext(
    CacheDefinition definition,
    List<StoreHandle> stores,
    Optional<String> localSite,
    Scheduler scheduler,
    HybridClock clock,
    WriterId writer,
    CacheMetrics metrics) {

  public EngineContext {
    stores = List.copyOf(stores);
    List<String> given = stores.stream().map(StoreHandle::site).toList();
    if (!given.equals(definition.sites())) {
      throw new IllegalArgumentException(
          "one store for each site; wanted=" + definition.sites() + " came=" + given);
    }
  }
}
