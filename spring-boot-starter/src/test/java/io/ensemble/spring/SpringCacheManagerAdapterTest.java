package io.ensemble.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.ensemble.CacheDefinition;
import io.ensemble.CacheDeletedException;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.spring.EnsembleProperties.CacheSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;

@Timeout(120)
class SpringCacheManagerAdapterTest {

  private final MapSiteFederation federation = new MapSiteFederation();
  private final EnsembleCacheManager manager = federation.manager();

  @AfterEach
  void close() {
    federation.close();
  }

  private static CacheDefinition definition(Cache cache) {
    return ((EnsembleCache<?, ?>) cache.getNativeCache()).definition();
  }

  @Test
  void aCacheThatDoesNotExistIsRefusedWithoutAMode() {
    CacheManager adapter = federation.adapter(manager, MapSiteFederation.NO_MODE);

    assertThat(adapter.getCache("c")).isNull();
    assertThat(manager.getCacheNames()).isEmpty();
    manager.createCache(CacheDefinition.of("c", Mode.SWMR).sites("a").build());
    assertThat(adapter.getCache("c")).isNotNull().isSameAs(adapter.getCache("c"));
    assertThat(adapter.getCacheNames()).containsExactly("c");
  }

  @Test
  void aCacheIsCreatedInTheDefaultModeAtAllSites() {
    CacheManager adapter = federation.adapter(manager, MapSiteFederation.settings(Mode.MWMR));

    CacheDefinition created = definition(adapter.getCache("c"));

    assertThat(created).isEqualTo(CacheDefinition.of("c", Mode.MWMR).sites("a", "b", "c").build());
    assertThat(manager.getCacheNames()).containsExactly("c");
  }

  @Test
  void settingsOfACacheReplaceTheDefaults() {
    CacheSettings defaults =
        new CacheSettings(Mode.MWMR, null, null, null, Duration.ofSeconds(2), 1000, null);
    CacheSettings own = new CacheSettings(Mode.WEAK, List.of("b"), null, null, null, 2000, null);
    CacheManager adapter = federation.adapter(manager, defaults, Map.of("c", own));

    assertThat(definition(adapter.getCache("c")))
        .isEqualTo(
            CacheDefinition.of("c", Mode.WEAK)
                .sites("b")
                .deadline(Duration.ofSeconds(2))
                .maxValueBytes(2000)
                .build());
  }

  @Test
  void aCacheThatExistsIsUsedWhateverTheDefaultMode() {
    manager.createCache(CacheDefinition.of("c", Mode.WEAK).sites("a").build());
    CacheManager adapter = federation.adapter(manager, MapSiteFederation.settings(Mode.MWMR));

    assertThat(definition(adapter.getCache("c")).mode()).isEqualTo(Mode.WEAK);
  }

  @Test
  void aCacheInAnotherModeThanItsOwnSettingsSayIsRefused() {
    manager.createCache(CacheDefinition.of("c", Mode.WEAK).sites("a").build());
    CacheManager adapter =
        federation.adapter(
            manager, MapSiteFederation.NO_MODE, Map.of("c", MapSiteFederation.settings(Mode.MWMR)));

    assertThatIllegalStateException()
        .isThrownBy(() -> adapter.getCache("c"))
        .withMessageContaining("expected=MWMR got=WEAK");
    assertThat(adapter.getCacheNames()).isEmpty();
  }

  @Test
  void aDeletedCacheIsCreatedAgainAtTheNextRequest() {
    CacheManager adapter = federation.adapter(manager, MapSiteFederation.settings(Mode.MWMR));
    Cache deleted = adapter.getCache("c");
    deleted.put("k", "v");

    manager.deleteCache("c");

    await()
        .atMost(Duration.ofSeconds(60))
        .ignoreExceptionsInstanceOf(CacheDeletedException.class)
        .until(() -> adapter.getCache("c").get("k") == null);
    assertThat(adapter.getCache("c")).isNotSameAs(deleted);
  }

  @Test
  void aStoppedCacheIsOpenedAgainAfterOneFailure() {
    CacheManager adapter = federation.adapter(manager, MapSiteFederation.settings(Mode.MWMR));
    Cache stopped = adapter.getCache("c");
    stopped.put("k", "v");

    manager.stopCache("c");

    assertThatIllegalStateException().isThrownBy(() -> adapter.getCache("c").get("k"));
    assertThat(adapter.getCache("c").get("k").get()).isEqualTo("v");
  }
}
