package io.ensemble.cache;

import io.ensemble.CacheDefinition;
import io.ensemble.schedule.Scheduler;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.WriterId;
import java.util.List;
import java.util.Optional;

/**
 * The definition, stores and services that an engine is opened with.
 *
 * @param definition the definition of the cache
 * @param stores one handle for each site, in the definition's order
 * @param localSite the local site; empty when there is none, or when it does not hold this cache
 * @param scheduler runs all tasks of the engine
 * @param clock hybrid time, shared by all caches of the manager
 * @param writer the writer's identity: one for each manager, never used again
 * @param metrics receives round trips and lag
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
          "number of stores must equal the number of sites; "
              + "expected="
              + definition.sites()
              + " got="
              + given);
    }
  }
}
