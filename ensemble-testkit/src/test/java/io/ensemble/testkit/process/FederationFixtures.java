package io.ensemble.testkit.process;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import io.ensemble.catalog.definition.FileDefinitions;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import java.nio.file.Path;
import java.util.List;

/** Federations of processes for tests. */
public final class FederationFixtures {

  private FederationFixtures() {}

  /** Options for a fast start rather than for long-term speed. */
  public static ProcessOptions options(Path directory, int nodes) {
    return ProcessOptions.in(directory, ServerLibrary.installed())
        .withNodesPerSite(nodes)
        .withHeapMegabytes(192)
        .withJavaOptions(List.of("-XX:TieredStopAtLevel=1"));
  }

  static EnsembleCacheManager manager(
      ProcessFederation federation, Path directory, SiteStorage kept) {
    EnsembleCacheManagerBuilder builder =
        EnsembleCacheManager.builder()
            .definitions(FileDefinitions.in(directory.resolve("definitions")));
    for (ProcessSite site : federation.sites()) {
      SiteConfiguration.Builder configuration =
          SiteConfiguration.builder(site.name()).storage(kept);
      site.endpoints()
          .forEach(at -> configuration.endpoint(at.getHostString() + ":" + at.getPort()));
      builder.site(configuration.build());
    }
    return builder.build();
  }
}
