package io.ensemble.objects.store;

import io.ensemble.CacheDefinition;
import io.ensemble.DistributedDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import io.ensemble.Mode;
import io.ensemble.catalog.definition.FileDefinitions;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.EmbeddedSite;
import io.ensemble.testkit.embedded.SharedFederation;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Sites lyon, oslo and rome of one node each, a cache over them, and a client at the first two. */
public final class ThreeSites implements AutoCloseable {

  private final Path catalog;
  private final EmbeddedFederation federation;
  private final List<EnsembleCacheManager> managers = new ArrayList<>();
  private final List<EnsembleCache<String, byte[]>> caches = new ArrayList<>();

  private final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
  private final boolean shared;

  private ThreeSites(Path catalog, EmbeddedFederation federation, boolean shared) {
    this.catalog = catalog;
    this.federation = federation;
    this.shared = shared;
  }

  /** New sites, which tests may kill. */
  public static ThreeSites start(Path catalog) {
    EmbeddedFederation.Options options = EmbeddedFederation.Options.defaults().withNodesPerSite(1);
    return opened(new ThreeSites(catalog, EmbeddedFederation.start(options), false));
  }

  /** Sites that other tests of this JVM share; they keep their data. */
  public static ThreeSites shared(Path catalog) {
    return opened(new ThreeSites(catalog, SharedFederation.threeSites(), true));
  }

  private static ThreeSites opened(ThreeSites sites) {
    sites.managers.add(sites.manager("lyon"));
    sites.managers.add(sites.manager("oslo"));
    sites.caches.add(sites.managers.get(0).createCache(definition("objects")));
    sites.caches.add(sites.managers.get(1).getCache("objects"));
    return sites;
  }

  public List<EnsembleCache<String, byte[]>> caches() {
    return caches;
  }

  /** The writes of both clients so far, and their round trips in total. */
  DistributionSummary writes() {
    return metrics.get("ensemble.round.trips").tag("operation", "write").summary();
  }

  /** Creates a distributed cache over two MWMR caches; as both clients have it open. */
  public List<EnsembleCache<String, byte[]>> distributed() {
    for (String part : List.of("part-one", "part-two")) {
      EnsembleCache<String, byte[]> unused = managers.get(0).createCache(definition(part));
    }
    EnsembleCache<String, byte[]> one =
        managers
            .get(0)
            .createDistributed(DistributedDefinition.of("distributed", "part-one", "part-two"));
    return List.of(one, managers.get(1).getCache("distributed"));
  }

  /** Gives the distributed cache a third part; completes when its keys have moved. */
  public CompletableFuture<?> addPart() {
    EnsembleCacheManager manager = managers.get(0);
    EnsembleCache<String, byte[]> unused = manager.createCache(definition("part-three"));
    return manager
        .parts()
        .alter(manager.distribution("distributed").orElseThrow().with("part-three"))
        .done()
        .toCompletableFuture();
  }

  /** Creates a distributed cache in frontier mode. */
  public EnsembleCache<String, byte[]> frontier() {
    EnsembleCache<String, byte[]> unused = managers.get(0).createCache(definition("part-four"));
    return managers
        .get(0)
        .createDistributed(DistributedDefinition.of("frontier", "part-four").inFrontierMode());
  }

  private static CacheDefinition definition(String name) {
    return CacheDefinition.of(name, Mode.MWMR)
        .sites("lyon", "oslo", "rome")
        .maxValueBytes(8 << 20)
        .build();
  }

  public EmbeddedSite site(String name) {
    return federation.site(name);
  }

  private EnsembleCacheManager manager(String local) {
    EnsembleCacheManagerBuilder builder =
        EnsembleCacheManager.builder().localSite(local).definitions(FileDefinitions.in(catalog));
    for (EmbeddedSite site : federation.sites()) {
      SiteConfiguration.Builder configuration = SiteConfiguration.builder(site.name());
      site.endpoints()
          .forEach(at -> configuration.endpoint(at.getHostString() + ":" + at.getPort()));
      builder.site(configuration.build());
    }
    return builder.metrics(metrics).build();
  }

  @Override
  public void close() {
    if (shared) {
      managers.get(0).deleteCache("objects");
    }
    managers.forEach(EnsembleCacheManager::stop);
    if (!shared) {
      federation.close();
    }
  }
}
