package io.ensemble.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import io.ensemble.Mode;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.SharedFederation;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two applications with separate catalogs over the same real sites. */
@Timeout(120)
class TwoCatalogsIT {

  private static EmbeddedFederation federation;

  @BeforeAll
  static void start() {
    federation = SharedFederation.threeSites();
  }

  private static EnsembleCacheManager application() {
    EnsembleCacheManagerBuilder builder = EnsembleCacheManager.builder().localSite("lyon");
    federation
        .sites()
        .forEach(
            site -> {
              SiteConfiguration.Builder place = SiteConfiguration.builder(site.name());
              site.endpoints().forEach(at -> place.endpoint("127.0.0.1:" + at.getPort()));
              builder.site(place.build());
            });
    return builder.build();
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void eachKeepsItsOwnCacheOfTheSameName(Mode mode) {
    CacheDefinition orders =
        CacheDefinition.of("orders" + mode, mode).sites("lyon", "oslo", "rome").build();
    Map<String, Integer> written = new HashMap<>();
    for (int i = 0; i < 20; i++) {
      written.put("k" + i, i);
    }
    try (EnsembleCacheManager first = application();
        EnsembleCacheManager second = application()) {
      EnsembleCache<String, Integer> one = first.createCache(orders);
      one.putAll(written);

      EnsembleCache<String, Integer> other = second.getOrCreateCache(orders);
      other.put("mine", 1);

      assertThat(one.getAll(written.keySet())).isEqualTo(written);
      assertThat(one.get("mine")).isNull();
      second.deleteCache(orders.name());
      assertThat(one.getAll(written.keySet())).isEqualTo(written);
      first.deleteCache(orders.name());
    }
  }
}
