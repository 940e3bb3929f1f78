package io.ensemble.testkit.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.UnknownOutcomeException;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.site.hotrod.StoreConfigurations;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.EmbeddedSite;
import io.ensemble.testkit.site.EmbeddedSiteConfigurations;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A cache at one site of four nodes is rebuilt without a node that is cut off and then returns. */
@Timeout(240)
class RebuildIT {

  private static final int ENTRIES = 200;

  @Test
  void aReplicaOnANodeThatIsCutOffIsReplacedAndItsReturnChangesNothing() throws Exception {
    EmbeddedFederation.Options four =
        EmbeddedFederation.Options.defaults().withSiteNames("lyon").withNodesPerSite(4);
    InMemoryDefinitions definitions = new InMemoryDefinitions();
    try (EmbeddedFederation federation = EmbeddedFederation.start(four)) {
      EnsembleCacheManager operator = manager(federation, definitions);
      EnsembleCacheManager user = manager(federation, definitions);
      try {
        rebuilt(federation.site("lyon"), operator, user);
        rebuiltByItself(federation, definitions, user);
      } finally {
        operator.stop();
        user.stop();
      }
    }
  }

  /** If a process reaches only one node of a site, the whole site seems to fail with that node. */
  @Tag("nightly")
  @Test
  void aCacheWithOneReplicaAtEachSiteIsRebuiltByItselfToo() throws Exception {
    EmbeddedFederation.Options two = EmbeddedFederation.Options.defaults().withNodesPerSite(2);
    InMemoryDefinitions definitions = new InMemoryDefinitions();
    try (EmbeddedFederation federation = EmbeddedFederation.start(two)) {
      EmbeddedSite site = federation.sites().get(0);
      EnsembleCacheManager manager =
          EmbeddedSiteConfigurations.manager(federation)
              .definitions(definitions)
              .rebuildAfter(Duration.ofSeconds(10))
              .build();
      try {
        EnsembleCache<String, Integer> cache =
            manager.createCache(
                CacheDefinition.of("stock", Mode.MWMR)
                    .sites(federation.sites().stream().map(EmbeddedSite::name).toList())
                    .build());
        cache.put("k", 1);
        StoredDefinition before = manager.stored("stock").orElseThrow();
        int away = nodeOf(site, before.store(site.name()).orElseThrow());
        site.link(away).cut();

        await("a rebuild by itself")
            .atMost(Duration.ofMinutes(2))
            .until(
                () ->
                    manager.stored("stock").orElseThrow().configuration() > before.configuration());

        StoredDefinition after = manager.stored("stock").orElseThrow();
        assertThat(nodeOf(site, after.store(site.name()).orElseThrow())).isNotEqualTo(away);
        site.link(away).heal();
        assertThat(cache.get("k")).isEqualTo(1);
      } finally {
        manager.stop();
      }
    }
  }

  private static EnsembleCacheManager manager(
      EmbeddedFederation federation, InMemoryDefinitions definitions) {
    return EmbeddedSiteConfigurations.manager(federation).definitions(definitions).build();
  }

  private static void rebuilt(
      EmbeddedSite lyon, EnsembleCacheManager operator, EnsembleCacheManager user)
      throws Exception {
    EnsembleCache<String, Integer> here =
        operator.createCache(
            CacheDefinition.of("stock", Mode.MWMR)
                .sites("lyon")
                .deadline(Duration.ofSeconds(30))
                .build());
    for (int i = 0; i < ENTRIES; i++) {
      here.put("old" + i, i);
    }
    EnsembleCache<String, Integer> there = user.getCache("stock");
    AtomicBoolean over = new AtomicBoolean();
    CompletableFuture<Map<String, Integer>> load =
        CompletableFuture.supplyAsync(() -> load(there, over), RebuildIT::beside);
    StoredDefinition before = operator.stored("stock").orElseThrow();
    int away = nodeOf(lyon, before.store("lyon/1").orElseThrow());
    lyon.link(away).cut();

    StoredDefinition after =
        operator
            .changes()
            .rebuild("stock", 0)
            .done()
            .toCompletableFuture()
            .get(120, TimeUnit.SECONDS);

    assertThat(after.definition()).isEqualTo(before.definition());
    assertThat(after.configuration()).isEqualTo(before.configuration() + 1);
    Set<Integer> nodes = new HashSet<>();
    for (String replica : after.definition().sites()) {
      nodes.add(nodeOf(lyon, after.store(replica).orElseThrow()));
    }
    assertThat(nodes).as("a node for each replica, of those that answer").hasSize(3);
    assertThat(nodes).doesNotContain(away);
    lyon.link(away).heal();
    there.put("last", 1);
    over.set(true);
    Map<String, Integer> written = load.get(60, TimeUnit.SECONDS);
    assertThat(written).isNotEmpty();
    assertThat(here.getAll(written.keySet())).isEqualTo(written);
    for (int i = 0; i < ENTRIES; i++) {
      assertThat(there.get("old" + i)).isEqualTo(i);
    }
  }

  /** A process that has the cache open rebuilds it without a command. */
  private static void rebuiltByItself(
      EmbeddedFederation federation, InMemoryDefinitions definitions, EnsembleCacheManager user) {
    EmbeddedSite lyon = federation.site("lyon");
    StoredDefinition before = user.stored("stock").orElseThrow();
    EnsembleCacheManager watchful =
        EmbeddedSiteConfigurations.manager(federation)
            .definitions(definitions)
            .rebuildAfter(Duration.ofSeconds(2))
            .build();
    try {
      EnsembleCache<String, Integer> cache = watchful.getCache("stock");
      int away = nodeOf(lyon, before.store("lyon/2").orElseThrow());
      lyon.link(away).cut();

      await("a rebuild by itself")
          .atMost(Duration.ofMinutes(2))
          .until(
              () ->
                  user.stored("stock")
                      .filter(now -> now.configuration() > before.configuration())
                      .filter(now -> now.change().filter(x -> !x.isEnding()).isEmpty())
                      .isPresent());

      StoredDefinition after = user.stored("stock").orElseThrow();
      assertThat(after.definition()).isEqualTo(before.definition());
      for (String replica : after.definition().sites()) {
        assertThat(nodeOf(lyon, after.store(replica).orElseThrow())).isNotEqualTo(away);
      }
      lyon.link(away).heal();
      for (int i = 0; i < ENTRIES; i++) {
        assertThat(cache.get("old" + i)).isEqualTo(i);
      }
    } finally {
      watchful.stop();
    }
  }

  /** The index of the node that holds a store, by the suffix of the store's name. */
  private static int nodeOf(EmbeddedSite site, String store) {
    for (int node = 0; node < site.endpoints().size(); node++) {
      if (store.endsWith(StoreConfigurations.nodeKey(site.endpoints().get(node)))) {
        return node;
      }
    }
    throw new AssertionError("the store is on no node of the site; store=" + store);
  }

  /** The last acknowledged value of each key; only this thread writes these keys. */
  private static Map<String, Integer> load(
      EnsembleCache<String, Integer> cache, AtomicBoolean over) {
    Map<String, Integer> acknowledged = new ConcurrentHashMap<>();
    for (int i = 0; !over.get(); i++) {
      String key = "new" + i % 97;
      while (acknowledged.getOrDefault(key, -1) != i) {
        try {
          cache.put(key, i);
          acknowledged.put(key, i);
        } catch (QuorumUnavailableException | UnknownOutcomeException again) {
          // The only writer of a key may repeat a write.
        }
      }
    }
    return acknowledged;
  }

  private static void beside(Runnable task) {
    Thread thread = new Thread(task, "load");
    thread.setDaemon(true);
    thread.start();
  }
}
