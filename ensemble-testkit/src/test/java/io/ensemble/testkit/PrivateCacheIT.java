package io.ensemble.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.CacheDefinition;
import io.ensemble.ChangeEvent;
import io.ensemble.ChangeStream;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import io.ensemble.ListenOptions;
import io.ensemble.Mode;
import io.ensemble.Privacy;
import io.ensemble.PrivateCacheException;
import io.ensemble.PrivateCacheException.Reason;
import io.ensemble.catalog.definition.FileDefinitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.keyset.KeysetFile;
import io.ensemble.keyset.KeysetReference;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.EmbeddedSite;
import io.ensemble.testkit.embedded.SharedFederation;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Private caches on real sites: users read plain text, and the stores hold cipher text only. */
class PrivateCacheIT {

  private static final String VALUE = "a value that nobody but its users sees";
  private static final String KEY = "a key that nobody but its users sees";

  @TempDir private static Path directory;
  private static EmbeddedFederation federation;
  private static KeysetReference keyset;

  @BeforeAll
  static void start() {
    federation = SharedFederation.threeSites();
    Path file = directory.resolve("keyset");
    KeysetFile.at(file).create(false, true);
    keyset = KeysetReference.inFile(file);
  }

  @AfterAll
  static void deleteCaches() {
    SharedFederation.restoreThreeSites();
    try (EnsembleCacheManager manager = builder().build()) {
      manager.getCacheNames().forEach(manager::deleteCache);
    }
  }

  private static EnsembleCacheManagerBuilder builder() {
    EnsembleCacheManagerBuilder builder =
        EnsembleCacheManager.builder()
            .localSite("lyon")
            .definitions(FileDefinitions.in(directory.resolve("catalog")));
    for (EmbeddedSite site : federation.sites()) {
      SiteConfiguration.Builder configuration = SiteConfiguration.builder(site.name());
      site.endpoints()
          .forEach(at -> configuration.endpoint(at.getHostString() + ":" + at.getPort()));
      builder.site(configuration.build());
    }
    return builder;
  }

  private static CacheDefinition definition(String name, Mode mode) {
    return CacheDefinition.of(name, mode)
        .sites("lyon", "oslo", "rome")
        .deadline(Duration.ofSeconds(20))
        .privacy(Privacy.VALUES_AND_KEYS)
        .build();
  }

  @Test
  void aStreamShowsDecryptedChanges() {
    String name = "watched";
    try (EnsembleCacheManager manager = builder().keyset(name, keyset).build()) {
      EnsembleCache<String, String> cache = manager.createCache(definition(name, Mode.MWMR));
      try (ChangeStream<String, String> all = cache.listen(ListenOptions.all());
          ChangeStream<String, String> one = cache.listen(ListenOptions.ofKeys(Set.of(KEY)));
          ChangeStream<String, String> prefixed =
              cache.listen(ListenOptions.<String>ofPrefix(KEY.substring(0, 3)).withoutValues())) {
        cache.put("other", "1");
        cache.put(KEY, "2");

        assertThat(all.next(Duration.ofSeconds(20)).orElseThrow())
            .isInstanceOfSatisfying(
                ChangeEvent.Change.class,
                change -> assertThat(List.of(change.key(), change.value())).contains("1"));
        assertThat(one.next(Duration.ofSeconds(20)).orElseThrow())
            .isInstanceOfSatisfying(
                ChangeEvent.Change.class,
                change -> assertThat(List.of(change.key(), change.value())).contains(KEY, "2"));
        assertThat(prefixed.next(Duration.ofSeconds(20)).orElseThrow())
            .isInstanceOfSatisfying(
                ChangeEvent.Change.class,
                change -> {
                  assertThat(change.key()).isEqualTo(KEY);
                  assertThat(change.value()).isNull();
                });
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void sitesHoldNeitherTheValueNorTheKey(Mode mode) {
    String name = "private-" + mode;
    try (EnsembleCacheManager manager = builder().keyset(name, keyset).build()) {
      EnsembleCache<String, String> cache = manager.createCache(definition(name, mode));
      cache.put(KEY, VALUE);
      cache.put("other", VALUE);

      assertThat(cache.get(KEY)).isEqualTo(VALUE);
      assertThat(cache.replace(KEY, VALUE, VALUE + "!")).isTrue();
      assertThat(cache.merge(KEY, "?", String::concat)).isEqualTo(VALUE + "!?");
      assertThat(cache.keySet()).containsExactlyInAnyOrder(KEY, "other");
      assertThat(manager.explain(name, KEY)).anyMatch(view -> view.entry().isPresent());
      assertThat(cache.values()).containsExactlyInAnyOrder(VALUE + "!?", VALUE);
      assertThat(stored(manager.stored(name).orElseThrow()))
          .isNotEmpty()
          .doesNotContain(VALUE)
          .doesNotContain(KEY);
    }
  }

  /** All stored bytes of a cache, from all sites. */
  private static String stored(StoredDefinition stored) {
    StringBuilder all = new StringBuilder();
    for (EmbeddedSite site : federation.sites()) {
      site.stored(stored.store(site.name()).orElseThrow())
          .forEach(bytes -> all.append(new String(bytes, StandardCharsets.ISO_8859_1)));
    }
    return all.toString();
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void aPrivateCacheIsNotOpenedWithoutItsKeyset(Mode mode) {
    String name = "closed-" + mode;
    try (EnsembleCacheManager manager = builder().keyset(name, keyset).build()) {
      manager.createCache(definition(name, mode)).put("k", VALUE);
    }

    try (EnsembleCacheManager manager = builder().build()) {
      assertThatThrownBy(() -> manager.getCache(name))
          .isInstanceOfSatisfying(
              PrivateCacheException.class,
              refused -> assertThat(refused.reason()).isEqualTo(Reason.NO_KEYSET));
    }
  }

  @Test
  void aSiteIsRecoveredAndAModeChangedWithoutAKey() {
    try (EnsembleCacheManager users = builder().keyset("moved", keyset).build();
        EnsembleCacheManager operators = builder().build()) {
      EnsembleCache<String, String> cache = users.createCache(definition("moved", Mode.MWMR));
      cache.put(KEY, VALUE);
      federation.sites().get(1).kill();
      federation.sites().get(1).restart();

      assertThat(operators.recoverSite("moved", "oslo")).isEqualTo(1);
      for (Mode mode : new Mode[] {Mode.WEAK, Mode.SWMR, Mode.MWMR}) {
        operators.alter(definition("moved", mode)).done().toCompletableFuture().join();
        assertThat(cache.get(KEY)).as("in %s", mode).isEqualTo(VALUE);
      }

      assertThat(cache.replace(KEY, VALUE, VALUE + "!")).isTrue();
      assertThat(stored(users.stored("moved").orElseThrow()))
          .isNotEmpty()
          .doesNotContain(VALUE)
          .doesNotContain(KEY);
    }
  }
}
