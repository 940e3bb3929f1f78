package io.ensemble.objects.store;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import io.ensemble.Mode;
import io.ensemble.catalog.FileDefinitions;
import io.ensemble.site.hotrod.SiteConfiguration;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.EmbeddedSite;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Sites a, b and c of one node, a cache over them, and a user at each of a and b. */
public final class ThreeSites implements AutoCloseable {

  private final Path catalog;
  private final EmbeddedFederation federation;
  private final List<EnsembleCacheManager> managers = new ArrayList<>();
  private final List<EnsembleCache<String, byte[]>> caches = new ArrayList<>();

  private ThreeSites(Path catalog) {
    this.catalog = catalog;
    this.federation =
        EmbeddedFederation.start(
            EmbeddedFederation.Options.defaults().withSiteNames("a", "b", "c").withNodesPerSite(1));
  }

  public static ThreeSites start(Path catalog) {
    ThreeSites sites = new ThreeSites(catalog);
    sites.managers.add(sites.manager("a"));
    sites.managers.add(sites.manager("b"));
    CacheDefinition definition =
        CacheDefinition.of("objects", Mode.MWMR)
            .sites("a", "b", "c")
            .maxValueBytes(8 << 20)
            .build();
    sites.caches.add(sites.managers.get(0).createCache(definition));
    sites.caches.add(sites.managers.get(1).getCache("objects"));
    return sites;
  }

  public List<EnsembleCache<String, byte[]>> caches() {
    return caches;
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
    return builder.build();
  }

  @Override
  public void close() {
    managers.forEach(EnsembleCacheManager::stop);
    federation.close();
  }
}
