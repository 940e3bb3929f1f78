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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Three sites of one node, and a user at each of two. */
class CacheStoreIT extends ObjectStoreContract {

  @TempDir private static Path catalog;
  private static EmbeddedFederation federation;
  private static final List<EnsembleCacheManager> MANAGERS = new ArrayList<>();
  private static List<ObjectStore> stores;

  @BeforeAll
  static void start() {
    federation =
        EmbeddedFederation.start(
            EmbeddedFederation.Options.defaults().withSiteNames("a", "b", "c").withNodesPerSite(1));
    MANAGERS.add(manager("a"));
    MANAGERS.add(manager("b"));
    EnsembleCache<String, byte[]> first =
        MANAGERS
            .get(0)
            .createCache(CacheDefinition.of("objects", Mode.MWMR).sites("a", "b", "c").build());
    EnsembleCache<String, byte[]> second = MANAGERS.get(1).getCache("objects");
    stores = List.of(new CacheStore(first), new CacheStore(second));
  }

  static EnsembleCacheManager manager(String local) {
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

  @AfterAll
  static void stop() {
    MANAGERS.forEach(EnsembleCacheManager::stop);
    federation.close();
  }

  @Override
  List<ObjectStore> stores() {
    return stores;
  }

  @Override
  boolean hasEvents() {
    return false;
  }
}
