package io.ensemble.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import io.ensemble.Mode;
import io.ensemble.site.hotrod.SiteConfiguration;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.EmbeddedSite;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The whole way from a user's call to three real sites and back. */
class EnsembleCacheIT {

  private static EmbeddedFederation federation;
  private static EnsembleCacheManager manager;

  @BeforeAll
  static void start() {
    federation =
        EmbeddedFederation.start(
            EmbeddedFederation.Options.defaults().withSiteNames("a", "b", "c").withNodesPerSite(1));
    EnsembleCacheManagerBuilder builder = EnsembleCacheManager.builder().localSite("a");
    for (EmbeddedSite site : federation.sites()) {
      SiteConfiguration.Builder configuration = SiteConfiguration.builder(site.name());
      site.endpoints()
          .forEach(at -> configuration.endpoint(at.getHostString() + ":" + at.getPort()));
      builder.site(configuration.build());
    }
    manager = builder.build();
  }

  @AfterAll
  static void stop() {
    manager.stop();
    federation.close();
  }

  private static CacheDefinition definition(String name, Mode mode) {
    return CacheDefinition.of(name, mode)
        .sites("a", "b", "c")
        .deadline(Duration.ofSeconds(20))
        .build();
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void everyOperationReachesRealSites(Mode mode) {
    EnsembleCache<String, Object> cache = manager.createCache(definition("all-" + mode, mode));

    cache.put("k", 1);
    assertThat(cache.get("k")).isEqualTo(1);
    assertThat(cache.putIfAbsent("k", 2)).isEqualTo(1);
    assertThat(cache.replace("k", 1, 2)).isTrue();
    assertThat(cache.merge("k", 3, (x, y) -> (Integer) x + (Integer) y)).isEqualTo(5);
    assertThat(cache.withReturnValues().remove("k")).isEqualTo(5);
    assertThat(cache.containsKey("k")).isFalse();
    for (int i = 0; i < 300; i++) {
      cache.put("k" + i, new byte[] {(byte) i});
    }
    assertThat(cache.size()).isEqualTo(300);
    assertThat(cache.keySet()).hasSize(300).contains("k0", "k299");
    cache.clear();
    assertThat(cache.isEmpty()).isTrue();
    assertThat(manager.deleteCache("all-" + mode)).isTrue();
  }

  /** It should not, but it has its answer: by no means may the call outlive its deadline. */
  @ParameterizedTest
  @EnumSource(Mode.class)
  void aFunctionMayJoinAnAsynchronousCall(Mode mode) {
    EnsembleCache<String, Integer> cache = manager.createCache(definition("join-" + mode, mode));
    cache.put("other", 5);

    Integer computed =
        cache.compute(
            "k",
            (key, value) ->
                cache
                    .async()
                    .get("other")
                    .toCompletableFuture()
                    .orTimeout(20, TimeUnit.SECONDS)
                    .join()
                    .orElseThrow());

    assertThat(computed).isEqualTo(5);
  }

  @Test
  void aSiteThatLostItsMemoryIsRecovered() {
    EnsembleCache<String, Integer> cache = manager.createCache(definition("r", Mode.MWMR));
    cache.put("before", 1);

    federation.site("c").kill();
    cache.put("during", 2);
    assertThat(cache.get("before")).isEqualTo(1);
    federation.site("c").restart();
    long copied = manager.recoverSite("r", "c");

    assertThat(copied).isEqualTo(2);
    federation.site("b").kill();
    assertThat(cache.get("during")).isEqualTo(2);
    assertThat(cache.get("before")).isEqualTo(1);
    assertThat(cache.replace("before", 1, 3)).isTrue();
    federation.site("b").restart();
  }
}
