package io.ensemble.testkit;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;

/** The README's example, compiled and run as it stands there. */
final class ReadmeExample {

  private ReadmeExample() {}

  static long run(String lyonAddress, String osloAddress, String romeAddress) {
    // readme:begin
    SiteConfiguration lyon = SiteConfiguration.builder("lyon").endpoint(lyonAddress).build();
    SiteConfiguration oslo = SiteConfiguration.builder("oslo").endpoint(osloAddress).build();
    SiteConfiguration rome = SiteConfiguration.builder("rome").endpoint(romeAddress).build();
    try (EnsembleCacheManager manager =
        EnsembleCacheManager.builder().site(lyon).site(oslo).site(rome).localSite("lyon").build()) {

      EnsembleCache<String, Long> stock =
          manager.createCache(
              CacheDefinition.of("stock", Mode.MWMR).sites("lyon", "oslo", "rome").build());

      stock.put("bolt", 100L);
      stock.merge("bolt", -3L, Long::sum); // atomic, even while a site is down
      return stock.get("bolt");
    }
    // readme:end
  }
}
