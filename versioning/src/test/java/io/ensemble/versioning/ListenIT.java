package io.ensemble.versioning;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.store.HotRodStore;
import io.ensemble.objects.store.ObjectStore;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.versioning.listen.NewVersion;
import io.ensemble.versioning.listen.Position;
import io.ensemble.versioning.listen.Subscription;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.infinispan.client.hotrod.RemoteCache;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.infinispan.client.hotrod.configuration.ConfigurationBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who listens on a real cluster of which a node dies. */
@Timeout(180)
class ListenIT {

  private static final int ENOUGH = 200;

  private final CountDownLatch never = new CountDownLatch(1);
  private final Tally tally = new Tally();

  @Test
  void allThatIsAcknowledgedIsToldOnceWhereANodeIsKilledAndWhoListensStartsAgain()
      throws Exception {
    EmbeddedFederation.Options options =
        EmbeddedFederation.Options.defaults().withSiteNames("lyon").withNodesPerSite(3);
    try (EmbeddedFederation federation = EmbeddedFederation.start(options);
        RemoteCacheManager writing = manager(federation);
        RemoteCacheManager listening = manager(federation)) {
      RemoteCache<byte[], byte[]> cache = HotRodStore.cache(writing, "objects");
      List<ObjectStore> stores =
          IntStream.range(0, 3).<ObjectStore>mapToObj(i -> new HotRodStore(cache)).toList();
      ObjectStore store = new HotRodStore(HotRodStore.cache(listening, "objects"));
      try (Writers writers = new Writers(stores)) {
        Position position;
        try (AtomicObjectFactory factory = AtomicObjectFactory.on(store)) {
          Subscription subscription = start(factory, Position.BEGINNING);
          until(writers, ENOUGH);
          federation.site("lyon").killNode(1);
          until(writers, writers.count() + ENOUGH);
          subscription.close();
          subscription.ended().toCompletableFuture().join();
          position = Position.of(subscription.position().bytes());
        }
        int before = tally.count();
        assertThat(before).isPositive();
        until(writers, writers.count() + ENOUGH);
        try (AtomicObjectFactory factory = AtomicObjectFactory.on(store)) {
          Subscription subscription = start(factory, position);
          until(writers, writers.count() + ENOUGH);
          writers.stop();
          judge(writers);
          subscription.close();
        }
      }
    }
  }

  private Subscription start(AtomicObjectFactory factory, Position position) {
    return Writers.cache(factory)
        .listen()
        .every(Duration.ofSeconds(1))
        .keysEvery(Duration.ofSeconds(1))
        .from(position)
        .start(tally);
  }

  private void judge(Writers writers) throws InterruptedException {
    for (Map.Entry<String, Map<Long, String>> key : writers.acknowledged().entrySet()) {
      while (!told(key.getKey()).entrySet().containsAll(key.getValue().entrySet())) {
        assertThat(never.await(100, TimeUnit.MILLISECONDS)).isFalse();
      }
    }
    assertThat(tally.faults()).isEmpty();
  }

  private Map<Long, String> told(String key) {
    Map<Long, String> told = new HashMap<>();
    for (var version : tally.told(key)) {
      NewVersion<String, String, Long> one = version.orElseThrow();
      told.put(one.version(), one.value().orElseThrow());
    }
    return told;
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
