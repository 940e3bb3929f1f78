package io.ensemble.versioning;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.store.HotRodObjectStore;
import io.ensemble.objects.store.ObjectStore;
import io.ensemble.testkit.embedded.EmbeddedSite;
import io.ensemble.testkit.embedded.SharedFederation;
import io.ensemble.versioning.listen.NewVersion;
import io.ensemble.versioning.listen.Subscription;
import io.ensemble.versioning.listen.SubscriptionPosition;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.infinispan.client.hotrod.RemoteCache;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Subscriptions on a real cluster, one node of which dies. */
@Timeout(180)
class SubscriptionIT {

  private static final String CACHE = "listened";
  private static final int ENOUGH = 200;

  private final DeliveryChecker deliveryChecker = new DeliveryChecker();

  @Test
  void allThatIsAcknowledgedIsToldOnceWhereANodeIsKilledAndWhoListensStartsAgain()
      throws Exception {
    EmbeddedSite site = SharedFederation.threeNodes().site("lyon");
    try (RemoteCacheManager writing = VersionedCacheIT.manager(site);
        RemoteCacheManager listening = VersionedCacheIT.manager(site)) {
      RemoteCache<byte[], byte[]> cache = HotRodObjectStore.cache(writing, CACHE);
      List<ObjectStore> stores =
          IntStream.range(0, 3).<ObjectStore>mapToObj(i -> new HotRodObjectStore(cache)).toList();
      ObjectStore store = new HotRodObjectStore(HotRodObjectStore.cache(listening, CACHE));
      try (VersionWriters writers = new VersionWriters(stores)) {
        SubscriptionPosition position;
        try (AtomicObjectFactory factory = AtomicObjectFactory.on(store)) {
          Subscription subscription = start(factory, SubscriptionPosition.BEGINNING);
          writers.awaitMore(ENOUGH);
          site.killNode(1);
          writers.awaitMore(ENOUGH);
          subscription.close();
          subscription.ended().toCompletableFuture().join();
          position = SubscriptionPosition.of(subscription.position().bytes());
        }
        int before = deliveryChecker.count();
        assertThat(before).isPositive();
        writers.awaitMore(ENOUGH);
        try (AtomicObjectFactory factory = AtomicObjectFactory.on(store)) {
          Subscription subscription = start(factory, position);
          writers.awaitMore(ENOUGH);
          writers.stop();
          judge(writers);
          subscription.close();
        }
      } finally {
        VersionedCacheIT.restartIfKilled(site);
        writing.administration().removeCache(CACHE);
      }
    }
  }

  private Subscription start(AtomicObjectFactory factory, SubscriptionPosition position) {
    return VersionWriters.cache(factory)
        .listen()
        .every(Duration.ofSeconds(1))
        .keysEvery(Duration.ofSeconds(1))
        .from(position)
        .start(deliveryChecker);
  }

  private void judge(VersionWriters writers) {
    for (Map.Entry<String, Map<Long, String>> key : writers.acknowledged().entrySet()) {
      await("all that was acknowledged of " + key.getKey() + " is told")
          .atMost(150, SECONDS)
          .until(() -> told(key.getKey()).entrySet().containsAll(key.getValue().entrySet()));
    }
    assertThat(deliveryChecker.faults()).isEmpty();
  }

  private Map<Long, String> told(String key) {
    Map<Long, String> told = new HashMap<>();
    for (var version : deliveryChecker.told(key)) {
      NewVersion<String, String, Long> one = version.orElseThrow();
      told.put(one.version(), one.value().orElseThrow());
    }
    return told;
  }
}
