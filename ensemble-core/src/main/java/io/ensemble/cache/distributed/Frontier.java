package io.ensemble.cache.distributed;

import io.ensemble.cache.adapter.CacheInstance;
import io.ensemble.cache.adapter.PartitionedEngine;
import io.ensemble.site.Bytes;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is this side of the frontier: keys whose part is at the local site.
 *
 * @param site the local site
 * @param counter told of each read that is answered by this alone
 */
public record Frontier(String site, Runnable counter) {

  private static final Logger log = LoggerFactory.getLogger(Frontier.class);

  /** The frontier around {@code site}, which counts in {@code registry} if there is one. */
  public static Frontier at(String site, @Nullable MeterRegistry registry, String cache) {
    if (registry == null) {
      return new Frontier(site, () -> {});
    }
    try {
      return new Frontier(
          site, registry.counter("ensemble.frontier.elsewhere", "cache", cache)::increment);
    } catch (RuntimeException e) { // A registry stops nothing.
      log.warn("a meter could not be registered; cache={}", cache, e);
      return new Frontier(site, () -> {});
    }
  }

  /** Whether {@code key}, which belongs to {@code part}, is held by the local site too. */
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
