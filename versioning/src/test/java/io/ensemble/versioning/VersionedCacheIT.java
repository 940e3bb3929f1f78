package io.ensemble.versioning;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.ensemble.EnsembleCache;
import io.ensemble.objects.store.EmbeddedCluster;
import io.ensemble.objects.store.EmbeddedObjectStore;
import io.ensemble.objects.store.EnsembleObjectStore;
import io.ensemble.objects.store.HotRodObjectStore;
import io.ensemble.objects.store.ObjectStore;
import io.ensemble.objects.store.ThreeSites;
import io.ensemble.testkit.embedded.EmbeddedSite;
import io.ensemble.testkit.embedded.SharedFederation;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.infinispan.client.hotrod.RemoteCache;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.infinispan.client.hotrod.configuration.ConfigurationBuilder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Acknowledged versions on real clusters, of which a node or a site dies. */
@Timeout(180)
class VersionedCacheIT {

  private static final String CACHE = "versioned";
  private static final int ENOUGH = 200;

  @Test
  void nothingIsLostWhereANodeOfTheSiteIsKilled() throws Exception {
    EmbeddedSite site = SharedFederation.threeNodes().site("lyon");
    try (RemoteCacheManager manager = manager(site)) {
      RemoteCache<byte[], byte[]> cache = HotRodObjectStore.cache(manager, CACHE);
      List<ObjectStore> stores =
          IntStream.range(0, 3).<ObjectStore>mapToObj(i -> new HotRodObjectStore(cache)).toList();
      try (VersionWriters writers = new VersionWriters(stores)) {
        writers.awaitMore(ENOUGH);
        site.killNode(1);
        writers.awaitMore(ENOUGH);
        writers.stop();

        writers.judge(new HotRodObjectStore(cache));
      } finally {
        restartIfKilled(site);
        manager.administration().removeCache(CACHE);
      }
    }
  }

  @Test
  @Tag("nightly")
  void nothingIsLostOnTheNodesThemselves() throws Exception {
    try (EmbeddedCluster cluster = EmbeddedCluster.start(3)) {
      List<ObjectStore> stores =
          IntStream.range(0, 3)
              .<ObjectStore>mapToObj(i -> new EmbeddedObjectStore(cluster.cache(i)))
              .toList();
      try (VersionWriters writers = new VersionWriters(stores)) {
        writers.awaitMore(ENOUGH);
        cluster.kill(2);
        writers.awaitMore(ENOUGH);
        writers.stop(2);

        writers.judge(new EmbeddedObjectStore(cluster.cache(0)));
      }
    }
  }

  @Test
  void nothingIsLostWhileASiteOfThreeIsDown(@TempDir Path catalog) throws Exception {
    try (ThreeSites sites = ThreeSites.start(catalog)) {
      List<ObjectStore> stores =
          sites.caches().stream().<ObjectStore>map(EnsembleObjectStore::new).toList();
      try (VersionWriters writers = new VersionWriters(stores)) {
        writers.awaitMore(ENOUGH);
        sites.site("rome").kill();
        writers.awaitMore(ENOUGH);
        writers.stop();

        writers.judge(new EnsembleObjectStore(sites.caches().get(1)));
      }
    }
  }

  /** The entries of one key are at different parts. */
  @Test
  void aDistributedCacheHoldsVersions(@TempDir Path catalog) throws Exception {
    try (ThreeSites sites = ThreeSites.start(catalog)) {
      List<EnsembleCache<String, byte[]>> caches = sites.distributed();
      List<ObjectStore> stores =
          caches.stream().<ObjectStore>map(EnsembleObjectStore::new).toList();
      try (VersionWriters writers = new VersionWriters(stores)) {
        writers.awaitMore(ENOUGH);
        sites.site("rome").kill();
        writers.awaitMore(ENOUGH);
        writers.stop();

        writers.judge(stores.get(1));
      }
    }
  }

  @Test
  void aDistributedCacheHoldsVersionsWhileItsPartsChange(@TempDir Path catalog) throws Exception {
    try (ThreeSites sites = ThreeSites.start(catalog)) {
      List<ObjectStore> stores =
          sites.distributed().stream().<ObjectStore>map(EnsembleObjectStore::new).toList();
      try (VersionWriters writers = new VersionWriters(stores)) {
        writers.awaitMore(ENOUGH);
        CompletableFuture<?> change = sites.addPart();
        writers.awaitMore(ENOUGH);
        assertThat(change).succeedsWithin(Duration.ofSeconds(150));
        writers.awaitMore(ENOUGH);
        writers.stop();

        writers.judge(stores.get(1));
      }
    }
  }

  /** Otherwise a key of another site would have no versions. */
  @Test
  void aCacheInFrontierModeIsRefused(@TempDir Path catalog) {
    try (ThreeSites sites = ThreeSites.start(catalog)) {
      EnsembleCache<String, byte[]> frontier = sites.frontier();

      assertThatIllegalArgumentException()
          .isThrownBy(() -> new EnsembleObjectStore(frontier))
          .withMessageContaining("use a cache without frontier mode")
          .withMessageContaining("cache=frontier");
    }
  }

  /** Starts the node that was killed, for other tests of this JVM. */
  static void restartIfKilled(EmbeddedSite site) {
    if (!site.isBalanced()) {
      site.restart();
    }
    await("the site is balanced").atMost(100, SECONDS).until(site::isBalanced);
  }

  static RemoteCacheManager manager(EmbeddedSite site) {
    ConfigurationBuilder configuration = new ConfigurationBuilder();
    for (InetSocketAddress node : site.endpoints()) {
      configuration.addServer().host("127.0.0.1").port(node.getPort());
    }
    configuration.socketTimeout(60_000); // The default of 2 s is too short for a slow machine.
    return new RemoteCacheManager(configuration.build());
  }
}
