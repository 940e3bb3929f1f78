package io.ensemble.testkit.site;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.EmbeddedSite;

/** Configurations for connections to embedded sites. */
public final class EmbeddedSiteConfigurations {

  private EmbeddedSiteConfigurations() {}

  static SiteConfiguration.Builder of(EmbeddedSite site) {
    SiteConfiguration.Builder builder = SiteConfiguration.builder(site.name());
    site.endpoints()
        .forEach(node -> builder.endpoint(new Endpoint(node.getHostString(), node.getPort())));
    return builder;
  }

  /** A manager builder with all sites of a federation without access control. */
  public static EnsembleCacheManagerBuilder manager(EmbeddedFederation federation) {
    EnsembleCacheManagerBuilder builder = EnsembleCacheManager.builder();
    federation.sites().forEach(site -> builder.site(of(site).build()));
    return builder;
  }
}
