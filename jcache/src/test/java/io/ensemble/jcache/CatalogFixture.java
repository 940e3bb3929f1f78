package io.ensemble.jcache;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.EmbeddedSite;
import java.nio.file.Path;
import java.util.List;

/** A catalog in a directory that lists the sites of an embedded federation. */
final class CatalogFixture {

  private CatalogFixture() {}

  static void create(Path directory, EmbeddedFederation federation) {
    try (EnsembleCacheManager manager =
        EnsembleCacheManager.builder().catalog(directory.toString()).build()) {
      for (EmbeddedSite site : federation.sites()) {
        List<Endpoint> endpoints =
            site.endpoints().stream()
                .map(at -> new Endpoint(at.getHostString(), at.getPort()))
                .toList();
        manager.membership().add(SiteEntry.open(site.name(), endpoints, SiteStorage.MEMORY));
      }
    }
  }
}
