package io.ensemble.benchmarks.federation;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import io.ensemble.cache.BlockingCall;
import io.ensemble.catalog.definition.Definitions;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.Site;
import io.ensemble.site.hotrod.HotRod;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A separate client without state about any key, with its metrics and its requests counted. */
public final class CountedClient implements AutoCloseable {

  private static final List<String> PENDING =
      List.of("ensemble.lag.entries", "ensemble.window.writes");
  private static final Duration LONGEST_SETTLING = Duration.ofMinutes(2);

  private final ThreadScheduler scheduler = new ThreadScheduler();
  private final List<Site> sites = new ArrayList<>();
  private final RequestCount requests = new RequestCount();
  private final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
  private final EnsembleCacheManager manager;

  /**
   * @param definitions shared with other clients of the same caches
   */
  public CountedClient(List<SiteConfiguration> federation, Definitions definitions) {
    this(federation, definitions, true);
  }

  /**
   * As the other constructor.
   *
   * @param isByNode whether a strong cache that it creates has a store at one node of each site; if
   *     not, it is on all nodes of the site
   */
  public CountedClient(
      List<SiteConfiguration> federation, Definitions definitions, boolean isByNode) {
    EnsembleCacheManagerBuilder builder =
        EnsembleCacheManager.builder()
            .scheduler(scheduler)
            .definitions(definitions)
            .metrics(metrics)
            .localSite(federation.get(0).name());
    for (SiteConfiguration configuration : federation) {
      Site site = HotRod.connect(configuration, scheduler);
      sites.add(site);
      builder.site(new CountingSite(site, requests, isByNode));
    }
    manager = builder.build();
  }

  public <V> EnsembleCache<String, V> cache(CacheDefinition definition) {
    return manager.getOrCreateCache(definition);
  }

  public EnsembleCacheManager manager() {
    return manager;
  }

  public RequestCount requests() {
    return requests;
  }

  /** The rounds of requests that operations of a kind took, {@code read} or {@code write}. */
  public DistributionSummary rounds(String operation) {
    return metrics.get("ensemble.round.trips").tag("operation", operation).summary();
  }

  /** Returns when every site has received every write. */
  public void settle() {
    Boolean settled = BlockingCall.poll(() -> pending() == 0 ? true : null, LONGEST_SETTLING);
    if (settled == null) {
      throw new IllegalStateException(
          "sites did not receive all writes in time; pending=" + pending());
    }
  }

  private double pending() {
    return PENDING.stream()
        .flatMap(gauge -> metrics.find(gauge).gauges().stream())
        .mapToDouble(Gauge::value)
        .sum();
  }

  @Override
  public void close() {
    manager.close();
    sites.forEach(Site::close);
    scheduler.close();
  }
}
