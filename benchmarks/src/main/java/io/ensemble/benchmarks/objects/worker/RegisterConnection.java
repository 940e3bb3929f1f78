package io.ensemble.benchmarks.objects.worker;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.registers.RegisterObjects;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import java.time.Duration;

/**
 * One process's objects from registers, on an MWMR cache with three replicas, each on one node of
 * the site.
 *
 * @param manager closed with this
 */
record RegisterConnection(EnsembleCacheManager manager, RegisterObjects objects)
    implements AutoCloseable {

  private static final String SITE = "lyon";
  private static final Duration DEADLINE = Duration.ofSeconds(30);

  /** The catalog is in ZooKeeper, since the processes share the cache. */
  static RegisterConnection open(WorkerEndpoints workerEndpoints) {
    SiteConfiguration.Builder site = SiteConfiguration.builder(SITE);
    workerEndpoints.addresses().forEach(site::endpoint);
    EnsembleCacheManager manager =
        EnsembleCacheManager.builder()
            .site(site.build())
            .catalog("zk://" + workerEndpoints.memory() + "/registers")
            .build();
    try {
      EnsembleCache<String, byte[]> cache =
          manager.getOrCreateCache(
              CacheDefinition.of("registers", Mode.MWMR).sites(SITE).deadline(DEADLINE).build());
      return new RegisterConnection(manager, RegisterObjects.in(cache));
    } catch (RuntimeException e) {
      manager.close();
      throw e;
    }
  }

  @Override
  public void close() {
    objects.close();
    manager.close();
  }
}
