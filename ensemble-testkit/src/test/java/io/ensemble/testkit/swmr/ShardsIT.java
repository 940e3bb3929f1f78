package io.ensemble.testkit.swmr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.CacheDefinition;
import io.ensemble.DistributedEnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleException;
import io.ensemble.Mode;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.site.hotrod.StoreConfigurations;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.EmbeddedSite;
import io.ensemble.testkit.embedded.SharedFederation;
import io.ensemble.testkit.site.EmbeddedSiteConfigurations;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * An SWMR cache with shards, at one site of three nodes. Each shard has its own primary, on one of
 * the nodes.
 */
@Timeout(240)
class ShardsIT {

  private static final int SHARDS = 9;
  private static final int KEYS = 45;

  private EmbeddedSite lyon;
  private EnsembleCacheManager manager;

  @BeforeEach
  void start() {
    EmbeddedFederation federation = SharedFederation.threeNodes();
    lyon = federation.site("lyon");
    manager =
        EmbeddedSiteConfigurations.manager(federation)
            .definitions(new InMemoryDefinitions())
            .refilling(false)
            .build();
  }

  @AfterEach
  void stop() {
    manager.deleteCache("sharded");
    manager.stop();
  }

  @Test
  void aNodesDeathLeavesTheShardsServedWhosePrimaryIsOnAnother() {
    DistributedEnsembleCache<String, Integer> cache =
        manager.createSharded(
            CacheDefinition.of("sharded", Mode.SWMR)
                .sites("lyon")
                .deadline(Duration.ofSeconds(30))
                .build(),
            SHARDS);
    for (int i = 0; i < KEYS; i++) {
      cache.put("k" + i, i);
    }
    Map<String, Integer> primaries = primaries(cache.distribution().parts());
    assertThat(new HashSet<>(primaries.values())).as("nodes with a primary").hasSizeGreaterThan(1);
    int dead = primaries.get(cache.distribution().parts().get(0));
    Map<String, Long> epochs = epochs(primaries.keySet());

    lyon.killNode(dead);
    try {
      Set<String> others = new HashSet<>(primaries.keySet());
      others.removeIf(shard -> primaries.get(shard) == dead);
      for (int i = 0; i < KEYS; i++) {
        String key = "k" + i;
        if (others.contains(shardOf(cache, key))) {
          assertThat(cache.get(key)).isEqualTo(i);
          cache.put(key, -i);
          assertThat(cache.get(key)).isEqualTo(-i);
        }
      }
      assertThat(epochs(others))
          .as("their terms go on")
          .allSatisfy((shard, epoch) -> assertThat(epoch).isEqualTo(epochs.get(shard)));
      Map<String, Integer> rest = new HashMap<>();
      for (int i = 0; i < KEYS; i++) {
        if (!others.contains(shardOf(cache, "k" + i))) {
          rest.put("k" + i, -i);
        }
      }
      await().atMost(Duration.ofSeconds(90)).until(() -> arePut(cache, rest));
      assertThat(cache.getAll(rest.keySet())).isEqualTo(rest);
    } finally {
      lyon.restartNode(dead);
    }
    assertThat(cache.size()).isEqualTo(KEYS);
    manager.resign("sharded");
    for (String shard : primaries.keySet()) {
      assertThat(manager.primaryTerm(shard).writer()).as("writer of " + shard).isEmpty();
    }
  }

  private static String shardOf(DistributedEnsembleCache<String, Integer> cache, String key) {
    return cache.locate(key).definition().name();
  }

  private static boolean arePut(
      DistributedEnsembleCache<String, Integer> cache, Map<String, Integer> entries) {
    try {
      cache.putAll(entries);
      return true;
    } catch (EnsembleException notYet) {
      return false; // Putting the same values again is safe.
    }
  }

  /** The node of each shard's primary. */
  private Map<String, Integer> primaries(List<String> shards) {
    List<InetSocketAddress> nodes = lyon.endpoints();
    Map<String, Integer> primaries = new HashMap<>();
    for (String shard : shards) {
      StoredDefinition stored = manager.stored(shard).orElseThrow();
      String store = stored.store(manager.primaryTerm(shard).primary()).orElseThrow();
      for (int node = 0; node < nodes.size(); node++) {
        if (store.endsWith(StoreConfigurations.nodeKey(nodes.get(node)))) {
          primaries.put(shard, node);
        }
      }
    }
    return primaries;
  }

  private Map<String, Long> epochs(Set<String> shards) {
    Map<String, Long> epochs = new HashMap<>();
    shards.forEach(shard -> epochs.put(shard, manager.primaryTerm(shard).epoch()));
    return epochs;
  }
}
