package io.ensemble.versioning;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.objects.store.CacheStore;
import io.ensemble.objects.store.EmbeddedCluster;
import io.ensemble.objects.store.EmbeddedStore;
import io.ensemble.objects.store.HotRodStore;
import io.ensemble.objects.store.ObjectStore;
import io.ensemble.objects.store.ThreeSites;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.infinispan.client.hotrod.RemoteCache;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.infinispan.client.hotrod.configuration.ConfigurationBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Versions that were acknowledged, on real clusters of which parts die. */
@Timeout(180)
class VersionedIT {

  private static final int ENOUGH = 200;

  private final CountDownLatch never = new CountDownLatch(1);

  @Test
  void nothingIsLostWhereANodeOfTheSiteIsKilled() throws Exception {
    EmbeddedFederation.Options options =
        EmbeddedFederation.Options.defaults().withSiteNames("lyon").withNodesPerSite(3);
    try (EmbeddedFederation federation = EmbeddedFederation.start(options);
        RemoteCacheManager manager = manager(federation)) {
      RemoteCache<byte[], byte[]> cache = HotRodStore.cache(manager, "objects");
      List<ObjectStore> stores =
          IntStream.range(0, 3).<ObjectStore>mapToObj(i -> new HotRodStore(cache)).toList();
      try (Writers writers = new Writers(stores)) {
        until(writers, ENOUGH);
        federation.site("lyon").killNode(1);
        until(writers, writers.count() + ENOUGH);
        writers.stop();

        writers.judge(new HotRodStore(cache));
      }
    }
  }

  @Test
  void nothingIsLostOnTheNodesThemselves() throws Exception {
    try (EmbeddedCluster cluster = EmbeddedCluster.start(3)) {
      List<ObjectStore> stores =
          IntStream.range(0, 3)
              .<ObjectStore>mapToObj(i -> new EmbeddedStore(cluster.cache(i)))
              .toList();
      try (Writers writers = new Writers(stores)) {
        until(writers, ENOUGH);
        cluster.kill(2);
        until(writers, writers.count() + ENOUGH);
        writers.stop(2);

        writers.judge(new EmbeddedStore(cluster.cache(0)));
      }
    }
  }

  @Test
  void nothingIsLostWhileASiteOfThreeIsDown(@TempDir Path catalog) throws Exception {
    try (ThreeSites sites = ThreeSites.start(catalog)) {
      List<ObjectStore> stores = sites.caches().stream().<ObjectStore>map(CacheStore::new).toList();
      try (Writers writers = new Writers(stores)) {
        until(writers, ENOUGH);
        sites.site("c").kill();
        until(writers, writers.count() + ENOUGH);
        writers.stop();

        writers.judge(new CacheStore(sites.caches().get(1)));
      }
    }
  }

  private static RemoteCacheManager manager(EmbeddedFederation federation) {
    ConfigurationBuilder configuration = new ConfigurationBuilder();
    for (InetSocketAddress node : federation.site("lyon").endpoints()) {
      configuration.addServer().host("127.0.0.1").port(node.getPort());
    }
    return new RemoteCacheManager(configuration.build());
  }

  private void until(Writers writers, int count) throws InterruptedException {
    while (writers.count() < count) {
      assertThat(never.await(100, TimeUnit.MILLISECONDS)).isFalse();
    }
  }
}
