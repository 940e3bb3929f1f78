package io.ensemble.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.ensemble.CacheDefinition;
import io.ensemble.CacheDeletedException;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import io.ensemble.Mode;
import io.ensemble.StoreIntactException;
import io.ensemble.catalog.definition.FileDefinitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.EmbeddedSite;
import io.ensemble.testkit.embedded.SharedFederation;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Successive caches of one name on real sites. The managers share only a directory of definitions.
 * A manager that cannot reach a site has a wrong port for it.
 */
@Timeout(300)
class RecreatedCacheIT {

  private static final Duration POLL = Duration.ofMillis(50);
  private static final Duration LONG = Duration.ofSeconds(90);

  /** Shared by the tests that stop no site: the names of stores are never used again. */
  private static EmbeddedFederation federation;

  @TempDir Path directory;
  private final List<AutoCloseable> open = new ArrayList<>();

  @BeforeAll
  static void startAll() {
    federation = SharedFederation.threeSites();
  }

  @AfterAll
  static void restore() {
    SharedFederation.restoreThreeSites();
  }

  @AfterEach
  void close() throws Exception {
    for (int i = open.size() - 1; i >= 0; i--) {
      open.get(i).close();
    }
  }

  private EmbeddedSite startThreeNodes() {
    EmbeddedFederation own =
        EmbeddedFederation.start(EmbeddedFederation.Options.defaults().withSiteNames("rome"));
    open.add(own);
    return own.site("rome");
  }

  /** A manager as in another process. */
  private EnsembleCacheManager manager(String unreachable, List<EmbeddedSite> sites) {
    EnsembleCacheManagerBuilder builder =
        EnsembleCacheManager.builder()
            .localSite("rome")
            .administrationDeadline(Duration.ofSeconds(15))
            .definitions(FileDefinitions.in(directory));
    for (EmbeddedSite site : sites) {
      SiteConfiguration.Builder configuration = SiteConfiguration.builder(site.name());
      if (site.name().equals(unreachable)) {
        configuration.endpoint("127.0.0.1:1");
      } else {
        site.endpoints()
            .forEach(at -> configuration.endpoint(at.getHostString() + ":" + at.getPort()));
      }
      builder.site(configuration.build());
    }
    EnsembleCacheManager manager = builder.build();
    open.add(manager);
    return manager;
  }

  private static CacheDefinition definition(Mode mode) {
    return CacheDefinition.of("s", mode)
        .sites("lyon", "oslo", "rome")
        .deadline(Duration.ofSeconds(5))
        .build();
  }

  /** A WEAK write may have been acknowledged by a faster site before it reaches this one. */
  private static void untilItHolds(EmbeddedSite site, String store, int entries) {
    await("entries of " + store).atMost(LONG).until(() -> site.size(store) >= entries);
    assertThat(site.size(store)).isEqualTo(entries);
  }

  /**
   * Calls until the client finds the cache deleted; until then all answers are of the old cache.
   */
  private static void callUntilDeleted(EnsembleCache<String, String> old) {
    await("the old client learns that its cache is deleted")
        .pollInterval(POLL)
        .atMost(LONG)
        .until(() -> isDeleted(old));
  }

  private static boolean isDeleted(EnsembleCache<String, String> old) {
    if (catchThrowable(() -> old.put("k", "late")) instanceof CacheDeletedException
        && catchThrowable(() -> old.get("k")) instanceof CacheDeletedException) {
      return true;
    }
    if (catchThrowable(() -> assertThat(old.get("k")).isIn("old", "late"))
        instanceof AssertionError wrong) {
      throw wrong;
    }
    return false;
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void anOldClientNeverMeetsTheCacheThatHasTheNameNow(Mode mode) {
    EnsembleCacheManager old = manager("", federation.sites());
    EnsembleCache<String, String> before = old.createCache(definition(mode));
    before.put("k", "old");
    before.put("gone", "old");
    StoredDefinition first = old.stored("s").orElseThrow();
    String orphan = first.store("rome").orElseThrow();
    int own = mode == Mode.SWMR ? 2 : mode == Mode.MWMR ? 1 : 0; // The marker and the terms.
    untilItHolds(federation.site("rome"), orphan, 2 + own);
    EnsembleCacheManager deleter = manager("rome", federation.sites());

    assertThat(deleter.deleteCache("s")).isTrue();
    EnsembleCache<String, String> now = deleter.createCache(definition(mode));
    now.put("k", "new");

    assertThat(federation.site("rome").holds(orphan)).as("out of the deleter's reach").isTrue();
    callUntilDeleted(before);
    assertThatExceptionOfType(CacheDeletedException.class).isThrownBy(() -> before.get("k"));
    assertThat(now.get("k")).isEqualTo("new");
    assertThat(now.get("gone")).isNull();

    EnsembleCacheManager healed = manager("", federation.sites());
    EnsembleCache<String, String> seen = healed.getCache("s");
    assertThat(seen.get("gone")).isNull();
    assertThat(healed.recoverSite("s", "rome")).isEqualTo(1);
    assertThat(federation.site("rome").holds(orphan)).as("went with the recovery").isFalse();
    assertThat(seen.keySet()).containsExactly("k");
    assertThat(seen.get("k")).isEqualTo("new");
    assertThat(old.<String, String>getCache("s").get("k")).isEqualTo("new");
  }

  @Test
  void whoReadsOnlyAtASiteThatTheDeleterCouldNotReachLearnsOfItToo() {
    EnsembleCacheManager old = manager("", federation.sites());
    EnsembleCache<String, String> near = old.createCache(definition(Mode.WEAK));
    near.put("k", "old");
    String orphan = old.stored("s").orElseThrow().store("rome").orElseThrow();
    untilItHolds(federation.site("rome"), orphan, 1);
    manager("rome", federation.sites()).deleteCache("s");

    Throwable failure =
        await("the reader learns that its cache is deleted")
            .pollInterval(POLL)
            .atMost(LONG)
            .until(
                () -> catchThrowable(() -> assertThat(near.get("k")).isEqualTo("old")),
                Objects::nonNull);

    assertThat(failure).isInstanceOf(CacheDeletedException.class);
  }

  @Test
  void whatADeletionCouldNotReachGoesWithTheNextCreation() {
    EnsembleCacheManager whole = manager("", federation.sites());
    whole.createCache(definition(Mode.MWMR));
    String orphan = whole.stored("s").orElseThrow().store("rome").orElseThrow();
    manager("rome", federation.sites()).deleteCache("s");
    assertThat(federation.site("rome").holds(orphan)).isTrue();

    whole.createCache(definition(Mode.MWMR)).put("k", "new");

    assertThat(federation.site("rome").holds(orphan)).isFalse();
    assertThat(whole.<String, String>getCache("s").get("k")).isEqualTo("new");
  }

  /** A process that has the cache open refills the store without a command. */
  @Test
  void aStoreThatItsNodeHasForgottenIsFilledAnew() {
    EmbeddedSite site = startThreeNodes();
    List<EmbeddedSite> sites = List.of(federation.site("lyon"), federation.site("oslo"), site);
    EnsembleCacheManager manager = manager("", sites);
    EnsembleCache<String, String> cache = manager.createCache(definition(Mode.MWMR));
    for (int i = 0; i < 50; i++) {
      cache.put("k" + i, "v" + i);
    }
    String before = manager.stored("s").orElseThrow().store("rome").orElseThrow();

    for (int node = 0; node < 3; node++) { // One of the nodes holds the store.
      site.killNode(node);
      cache.put("during" + node, "x");
      site.restartNode(node);
    }

    await("the store has another life")
        .atMost(LONG)
        .until(() -> !manager.stored("s").orElseThrow().store("rome").equals(Optional.of(before)));
    // The node of the new store may have been restarted too; then the store is replaced once more.
    await("the store is whole")
        .atMost(LONG)
        .until(
            () ->
                catchThrowable(() -> manager.recoverSite("s", "rome"))
                    instanceof StoreIntactException);
    federation.site("oslo").kill();
    try {
      assertThat(cache.get("during1")).isEqualTo("x");
      assertThat(cache.get("k7")).isEqualTo("v7");
      assertThat(cache.replace("k7", "v7", "w7")).isTrue();
    } finally {
      federation.site("oslo").restart();
    }
  }
}
