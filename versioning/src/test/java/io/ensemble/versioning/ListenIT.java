package io.ensemble.versioning;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.store.HotRodStore;
import io.ensemble.objects.store.ObjectStore;
import io.ensemble.testkit.embedded.EmbeddedSite;
import io.ensemble.testkit.embedded.SharedFederation;
import io.ensemble.versioning.listen.NewVersion;
import io.ensemble.versioning.listen.Position;
import io.ensemble.versioning.listen.Subscription;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.infinispan.client.hotrod.RemoteCache;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who listens on a real cluster of which a node dies. */
@Timeout(180)
class ListenIT {

  private static final String CACHE = "listened";
  private static final int ENOUGH = 200;

  private final Tally tally = new Tally();

  @Test
  void allThatIsAcknowledgedIsToldOnceWhereANodeIsKilledAndWhoListensStartsAgain()
      throws Exception {
    EmbeddedSite site = SharedFederation.threeNodes().site("lyon");
    try (RemoteCacheManager writing = VersionedIT.manager(site);
        RemoteCacheManager listening = VersionedIT.manager(site)) {
      RemoteCache<byte[], byte[]> cache = HotRodStore.cache(writing, CACHE);
      List<ObjectStore> stores =
          IntStream.range(0, 3).<ObjectStore>mapToObj(i -> new HotRodStore(cache)).toList();
      ObjectStore store = new HotRodStore(HotRodStore.cache(listening, CACHE));
      try (Writers writers = new Writers(stores)) {
        Position position;
        try (AtomicObjectFactory factory = AtomicObjectFactory.on(store)) {
          Subscription subscription = start(factory, Position.BEGINNING);
          writers.awaitMore(ENOUGH);
          site.killNode(1);
          writers.awaitMore(ENOUGH);
          subscription.close();
          subscription.ended().toCompletableFuture().join();
          position = Position.of(subscription.position().bytes());
        }
        int before = tally.count();
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
        VersionedIT.mend(site);
        writing.administration().removeCache(CACHE);
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

  private void judge(Writers writers) {
    for (Map.Entry<String, Map<Long, String>> key : writers.acknowledged().entrySet()) {
      await("all that was acknowledged of " + key.getKey() + " is told")
          .atMost(150, SECONDS)
          .until(() -> told(key.getKey()).entrySet().containsAll(key.getValue().entrySet()));
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
}
