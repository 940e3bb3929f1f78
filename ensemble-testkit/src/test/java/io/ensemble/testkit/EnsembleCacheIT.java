package io.ensemble.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.CacheDefinition;
import io.ensemble.DistributedDefinition;
import io.ensemble.DistributedEnsembleCache;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import io.ensemble.Mode;
import io.ensemble.catalog.definition.FileDefinitions;
import io.ensemble.distribution.RepartitionRun;
import io.ensemble.partition.PartitionerSpec;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.EmbeddedSite;
import io.ensemble.testkit.embedded.SharedFederation;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** User calls over three real sites. */
class EnsembleCacheIT {

  private static EmbeddedFederation federation;
  private static EnsembleCacheManager manager;

  @BeforeAll
  static void start() {
    federation = SharedFederation.threeSites();
    manager = builder("lyon").build();
  }

  private static EnsembleCacheManagerBuilder builder(String localSite) {
    EnsembleCacheManagerBuilder builder = EnsembleCacheManager.builder().localSite(localSite);
    for (EmbeddedSite site : federation.sites()) {
      SiteConfiguration.Builder configuration = SiteConfiguration.builder(site.name());
      site.endpoints()
          .forEach(at -> configuration.endpoint(at.getHostString() + ":" + at.getPort()));
      builder.site(configuration.build());
    }
    return builder;
  }

  /** A manager as in another process, with a catalog in files. */
  private static EnsembleCacheManager distributing(String localSite, Path catalog) {
    return builder(localSite).definitions(FileDefinitions.in(catalog)).build();
  }

  @AfterAll
  static void stop() {
    SharedFederation.restoreThreeSites();
    manager.getCacheNames().forEach(manager::deleteCache);
    manager.stop();
  }

  private static CacheDefinition definition(String name, Mode mode) {
    return CacheDefinition.of(name, mode)
        .sites("lyon", "oslo", "rome")
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

  /** Functions should not do this, but the call must end by its deadline. */
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

    federation.site("rome").kill();
    cache.put("during", 2);
    assertThat(cache.get("before")).isEqualTo(1);
    federation.site("rome").restart();
    long copied = manager.recoverSite("r", "rome");

    assertThat(copied).isEqualTo(2);
    federation.site("oslo").kill();
    assertThat(cache.get("during")).isEqualTo(2);
    assertThat(cache.get("before")).isEqualTo(1);
    assertThat(cache.replace("before", 1, 3)).isTrue();
    federation.site("oslo").restart();
  }

  @Test
  void aPartComesAndGoesWhileTwoProcessesUseTheCache(@TempDir Path catalog) throws Exception {
    try (EnsembleCacheManager one = distributing("lyon", catalog);
        EnsembleCacheManager other = distributing("oslo", catalog)) {
      for (String part : List.of("g1", "g2", "g3")) {
        one.createCache(definition(part, Mode.MWMR));
      }
      DistributedDefinition two = DistributedDefinition.of("grows", "g1", "g2");
      EnsembleCache<Integer, Integer> here = one.createDistributed(two);
      EnsembleCache<Integer, Integer> there = other.getCache("grows");
      for (int i = 0; i < 300; i++) {
        here.put(i, i);
      }

      RepartitionRun grows = one.parts().alter(two.with("g3"));
      for (int i = 0; !grows.done().toCompletableFuture().isDone(); i = (i + 1) % 300) {
        assertThat(there.withDeadline(Duration.ofSeconds(30)).get(i)).isEqualTo(i);
      }

      assertThat(grows.done().toCompletableFuture().get(30, TimeUnit.SECONDS).generation())
          .isEqualTo(2);
      EnsembleCache<Integer, Integer> third = one.getCache("g3");
      assertThat(grows.moved()).isEqualTo(third.size()).isBetween(60L, 140L);
      assertThat(there.put(7, -7)).isNull();
      assertThat(here.get(7)).isEqualTo(-7);
      assertThat(here.size()).isEqualTo(300);
      assertThatThrownBy(() -> one.parts().resume("grows"))
          .isInstanceOf(NoSuchElementException.class);

      other.parts().alter(two).done().toCompletableFuture().get(60, TimeUnit.SECONDS);
      assertThat(third.size()).isZero();
      for (int i = 0; i < 300; i++) {
        assertThat(here.get(i)).isEqualTo(i == 7 ? -7 : i);
      }
      assertThat(one.deleteCache("grows")).isTrue();
    }
  }

  @Test
  void twoProcessesFindEveryKeyAtTheSamePart(@TempDir Path catalog) {
    try (EnsembleCacheManager one = distributing("lyon", catalog);
        EnsembleCacheManager other = distributing("oslo", catalog)) {
      one.createCache(definition("strong", Mode.MWMR));
      one.createCache(CacheDefinition.of("weak", Mode.WEAK).sites("lyon").build());
      one.createCache(DistributedDefinition.partAt("d", "oslo", Mode.MWMR));
      DistributedDefinition definition =
          DistributedDefinition.of("d", "strong", "weak", "d.oslo")
              .by(PartitionerSpec.of("rendezvous").with("group", "^(\\d+)/"))
              .inFrontierMode();
      DistributedEnsembleCache<String, Integer> cache = one.createDistributed(definition);
      Map<String, Integer> all = new HashMap<>();
      for (int i = 0; i < 200; i++) {
        all.put(i / 2 + "/" + i, i);
      }

      cache.putAll(all);

      EnsembleCache<String, Integer> there = other.getCache("d");
      assertThat(there).isInstanceOf(DistributedEnsembleCache.class);
      assertThat(new HashMap<>(there)).isEqualTo(all);
      all.forEach(
          (key, value) -> {
            String part = cache.locate(key).getName();
            assertThat(((DistributedEnsembleCache<String, Integer>) there).locate(key).getName())
                .isEqualTo(part);
            assertThat(cache.get(key)).isEqualTo(part.equals("d.oslo") ? null : value);
            assertThat(there.get(key)).isEqualTo(part.equals("weak") ? null : value);
          });
      there.clear();
      assertThat(cache.size()).isZero();
      assertThat(other.deleteCache("d")).isTrue();
      assertThat(one.getCacheNames()).containsExactly("d.oslo", "strong", "weak");
    }
  }
}
