package io.ensemble.testkit.site;

import io.ensemble.site.hotrod.Endpoint;
import io.ensemble.site.hotrod.SiteConfiguration;
import io.ensemble.testkit.embedded.EmbeddedSite;

/** How to reach an embedded site. */
final class Configurations {

  private Configurations() {}

  static SiteConfiguration.Builder of(EmbeddedSite site) {
    SiteConfiguration.Builder builder = SiteConfiguration.builder(site.name());
    site.endpoints()
        .forEach(node -> builder.endpoint(new Endpoint(node.getHostString(), node.getPort())));
    return builder;
  }
}
