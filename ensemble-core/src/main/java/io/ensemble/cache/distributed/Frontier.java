package io.ensemble.cache.distributed;

import io.ensemble.cache.adapter.CacheInstance;
import io.ensemble.cache.adapter.PartitionedEngine;
import io.ensemble.site.Bytes;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys on this side of the frontier: their part is at the local site.
 *
 * @param site the local site
 * @param counter runs for each read that the frontier alone answers
 */
public record Frontier(String site, Runnable counter) {

  private static final Logger log = LoggerFactory.getLogger(Frontier.class);

  /** The frontier around {@code site}; counts in {@code registry} if that is not null. */
  public static Frontier at(String site, @Nullable MeterRegistry registry, String cache) {
    if (registry == null) {
      return new Frontier(site, () -> {});
    }
    try {
      return new Frontier(
          site, registry.counter("ensemble.frontier.elsewhere", "cache", cache)::increment);
    } catch (RuntimeException e) { // A failing registry must not prevent the opening.
      log.warn("a meter could not be registered; cache={}", cache, e);
      return new Frontier(site, () -> {});
    }
  }

  /** Whether the local site holds {@code key}, which belongs to {@code part}. */
  boolean has(CacheInstance part, Bytes key) {
    CacheInstance holder = part;
    while (holder.engine() instanceof PartitionedEngine parted) {
      holder = parted.partOf(key);
    }
    return holder.definition().isAtSite(site);
  }

  void isElsewhere() {
    counter.run();
  }
}
