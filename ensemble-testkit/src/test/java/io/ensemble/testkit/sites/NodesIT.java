package io.ensemble.testkit.sites;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.UnknownOutcomeException;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.EmbeddedSite;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A node leaves a site in order and comes back, while caches there are used: a WEAK one, which is
 * on all nodes, and a strong one, whose replicas are on the other nodes.
 */
@Timeout(180)
class NodesIT {

  private static final int ENTRIES = 200;
  private static final Duration LONG = Duration.ofSeconds(60);

  @TempDir Path catalog;

  @Test
  @Tag("deep")
  void aNodeLeavesAndComesUnderLoadAndTheCatalogKnows() throws Exception {
    try (EmbeddedFederation federation =
            EmbeddedFederation.start(
                EmbeddedFederation.Options.defaults().withSiteNames("a").withNodesPerSite(4));
        EnsembleCacheManager manager =
            EnsembleCacheManager.builder().catalog(catalog.toString()).maintenance(true).build()) {
      EmbeddedSite site = federation.site("a");
      List<Endpoint> nodes = endpoints(site);
      // The registered nodes hold the replicas; maintenance registers the fourth node.
      manager.membership().add(SiteEntry.open("a", nodes.subList(0, 3), SiteStorage.MEMORY));
      List<EnsembleCache<String, Integer>> caches =
          List.of(create(manager, "strong", Mode.MWMR), create(manager, "weak", Mode.WEAK));
      for (EnsembleCache<String, Integer> cache : caches) {
        for (int i = 0; i < ENTRIES; i++) {
          cache.put("k" + i, i);
        }
      }
      AtomicBoolean over = new AtomicBoolean();
      AtomicInteger written = new AtomicInteger();
      CompletableFuture<Void> load =
          CompletableFuture.runAsync(
              () -> {
                while (!over.get()) {
                  int number = written.incrementAndGet();
                  caches.forEach(cache -> written(cache, number));
                }
              },
              task -> new Thread(task, "load").start());
      await("all nodes are entered").atMost(LONG).until(() -> entered(manager).size() == 4);

      await("no entry waits to be moved").atMost(LONG).until(site::isBalanced);
      site.stopNode(3);
      await("the node that left is not entered any more")
          .atMost(LONG)
          .until(() -> entered(manager).equals(new HashSet<>(nodes.subList(0, 3))));
      site.restartNode(3);
      await("the node that came is entered").atMost(LONG).until(() -> entered(manager).size() == 4);
      await("it has its share").atMost(LONG).until(site::isBalanced);

      over.set(true);
      load.get();
      for (EnsembleCache<String, Integer> cache : caches) {
        assertThat(cache.get("new")).as(cache.getName()).isEqualTo(written.get());
        for (int i = 0; i < ENTRIES; i++) {
          assertThat(cache.get("k" + i)).as(cache.getName()).isEqualTo(i);
        }
      }
    }
  }

  private static EnsembleCache<String, Integer> create(
      EnsembleCacheManager manager, String name, Mode mode) {
    return manager.createCache(
        CacheDefinition.of(name, mode).sites("a").deadline(Duration.ofSeconds(30)).build());
  }

  /** A request at the leaving node may be of unknown outcome, so it is repeated. */
  private static void written(EnsembleCache<String, Integer> cache, int number) {
    long end = System.nanoTime() + LONG.toNanos();
    while (true) {
      try {
        cache.put("new", number);
        return;
      } catch (UnknownOutcomeException | QuorumUnavailableException e) {
        if (System.nanoTime() > end) {
          throw e;
        }
      }
    }
  }

  private static List<Endpoint> endpoints(EmbeddedSite site) {
    return site.endpoints().stream()
        .map(at -> new Endpoint(at.getHostString(), at.getPort()))
        .toList();
  }

  private static Set<Endpoint> entered(EnsembleCacheManager manager) {
    return Set.copyOf(manager.membership().entry("a").orElseThrow().endpoints());
  }
}
