package io.ensemble.testkit.site;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.EmbeddedSite;

/** How to reach an embedded site. */
public final class EmbeddedSiteConfigurations {

  private EmbeddedSiteConfigurations() {}

  static SiteConfiguration.Builder of(EmbeddedSite site) {
    SiteConfiguration.Builder builder = SiteConfiguration.builder(site.name());
    site.endpoints()
        .forEach(node -> builder.endpoint(new Endpoint(node.getHostString(), node.getPort())));
    return builder;
  }

  /** A manager of all sites that are open to anyone. */
  public static EnsembleCacheManagerBuilder manager(EmbeddedFederation federation) {
    EnsembleCacheManagerBuilder builder = EnsembleCacheManager.builder();
    federation.sites().forEach(site -> builder.site(of(site).build()));
    return builder;
  }
}
