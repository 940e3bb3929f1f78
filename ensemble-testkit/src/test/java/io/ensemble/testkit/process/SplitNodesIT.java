package io.ensemble.testkit.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A network partition between nodes in separate processes, and its end. */
@Timeout(300)
@Tag("nightly")
class SplitNodesIT {

  private static final Duration LONGEST = Duration.ofMinutes(1);

  @TempDir Path directory;

  @Test
  void eachGroupIsAClusterOfItsOwnAndReplicasAreServedAllTheWhile() throws Exception {
    ProcessOptions options =
        FederationFixtures.options(directory.resolve("data"), 3)
            .withSiteNames(List.of("lyon"))
            .withPersistence(true);
    try (ProcessFederation federation = ProcessFederation.start(options);
        EnsembleCacheManager manager =
            FederationFixtures.manager(federation, directory, SiteStorage.DISK)) {
      ProcessSite lyon = federation.sites().get(0);
      EnsembleCache<String, Integer> cache =
          manager.createCache(CacheDefinition.of("stock", Mode.MWMR).sites("lyon").build());

      for (List<List<Integer>> groups :
          List.of(
              List.of(List.of(1), List.of(0, 2)), List.of(List.of(0), List.of(1), List.of(2)))) {
        cache.put("k", 1);

        lyon.split(groups);

        // Longer than connected nodes need to merge.
        await("the groups stay apart: " + groups)
            .during(Duration.ofSeconds(8))
            .atMost(LONGEST)
            .until(() -> seeOnlyTheirGroup(lyon, groups));
        assertThat(cache.get("k")).isEqualTo(1);
        cache.put("k", 2);
        assertThat(cache.get("k")).isEqualTo(2);

        lyon.unite();

        for (int node = 0; node < 3; node++) {
          assertThat(lyon.membersSeenBy(node))
              .as("node %d", node)
              .isEqualTo(names(List.of(0, 1, 2)));
        }
        await("all nodes are whole").atMost(LONGEST).until(lyon::isBalanced);
        assertThat(cache.get("k")).isEqualTo(2);
      }
    }
  }

  private static boolean seeOnlyTheirGroup(ProcessSite site, List<List<Integer>> groups) {
    return groups.stream()
        .allMatch(
            group ->
                group.stream().allMatch(node -> site.membersSeenBy(node).equals(names(group))));
  }

  private static Set<String> names(List<Integer> nodes) {
    return Set.copyOf(nodes.stream().map(node -> "lyon-" + node).toList());
  }
}
