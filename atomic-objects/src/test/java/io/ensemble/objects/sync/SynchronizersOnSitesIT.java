package io.ensemble.objects.sync;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.runtime.ObjectKeys;
import io.ensemble.objects.store.HotRodObjectStore;
import io.ensemble.objects.store.ObjectStore;
import io.ensemble.testkit.embedded.EmbeddedSite;
import io.ensemble.testkit.embedded.SharedFederation;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.infinispan.client.hotrod.RemoteCache;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.infinispan.client.hotrod.configuration.ConfigurationBuilder;
import org.infinispan.client.hotrod.impl.InternalRemoteCache;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two clients of one site of three nodes, like two processes. */
@Timeout(180)
class SynchronizersOnSitesIT extends SynchronizersContract {

  private static final String CACHE = "synchronizers";

  private static EmbeddedSite site;
  private static final List<RemoteCacheManager> MANAGERS = new ArrayList<>();
  private static final List<RemoteCache<byte[], byte[]>> CACHES = new ArrayList<>();

  @BeforeAll
  static void start() {
    site = SharedFederation.threeNodes().site("lyon");
    for (int i = 0; i < 2; i++) {
      RemoteCacheManager manager = manager();
      MANAGERS.add(manager);
      CACHES.add(HotRodObjectStore.cache(manager, CACHE));
    }
  }

  @AfterAll
  static void stop() {
    await("the site is balanced")
        .pollInterval(100, MILLISECONDS)
        .atMost(100, SECONDS)
        .until(site::isBalanced);
    MANAGERS.get(0).administration().removeCache(CACHE);
    MANAGERS.forEach(RemoteCacheManager::close);
  }

  private static RemoteCacheManager manager() {
    ConfigurationBuilder configuration = new ConfigurationBuilder();
    ports().forEach(port -> configuration.addServer().host("127.0.0.1").port(port));
    configuration.socketTimeout(60_000); // The default of 2 s is too short for a slow machine.
    return new RemoteCacheManager(configuration.build());
  }

  private static List<Integer> ports() {
    return site.endpoints().stream().map(InetSocketAddress::getPort).toList();
  }

  @Override
  List<ObjectStore> stores() {
    return CACHES.stream().<ObjectStore>map(HotRodObjectStore::new).toList();
  }

  @Test
  void allHoldWhereThePrimaryOwnerOfALockIsKilled() throws Exception {
    playAmong(ROUNDS, () -> site.killNode(primaryOwner("lock")));

    site.restart();
  }

  /** One at a time, the dead requests would hold the lock for longer than the live one waits. */
  @Test
  void requestsOfADeadProcessLeaveTheQueueTogether() throws Exception {
    int dead = 100;
    Duration lease = Duration.ofSeconds(2);
    RemoteCacheManager dying = manager();
    try (AtomicObjectFactory live = AtomicObjectFactory.on(stores().get(0));
        AtomicObjectFactory ofDead =
            AtomicObjectFactory.on(new HotRodObjectStore(HotRodObjectStore.cache(dying, CACHE)));
        FencedLock lock = Synchronizers.on(live).lease(lease).lock("dead waiters");
        NamedLock observed = Synchronizers.on(live).namedLock("dead waiters")) {
      Grant grant = lock.tryAcquire().orElseThrow();
      FencedLock lockOfDead = Synchronizers.on(ofDead).lease(lease).lock("dead waiters");
      for (int i = 0; i < dead; i++) {
        lockOfDead.acquireAsync(Duration.ofHours(1));
      }
      await("the requests wait")
          .pollInterval(100, MILLISECONDS)
          .atMost(100, SECONDS)
          .until(() -> waiting(observed) == dead);
      CompletableFuture<Optional<Grant>> next =
          lock.acquireAsync(Duration.ofSeconds(100)).toCompletableFuture();
      dying.stop(); // Its process sends no more requests.
      grant.release();

      assertThat(next.get(150, SECONDS)).isPresent();
    }
  }

  private static int waiting(NamedLock lock) throws Exception {
    return lock.link().call(state -> state.waiting()).toCompletableFuture().get(60, SECONDS);
  }

  @Tag("deep")
  @RepeatedTest(2)
  @Timeout(400)
  void allHoldWherePrimaryOwnersAreKilledAndStartedAgain() throws Exception {
    List<Runnable> harms = new ArrayList<>();
    for (String object : List.of("lock", "barrier", "semaphore")) {
      harms.add(() -> site.killNode(primaryOwner(object)));
      harms.add(site::restart);
    }
    playAmong(MANY_ROUNDS, harms.toArray(Runnable[]::new));
  }

  private static int primaryOwner(String object) {
    InetSocketAddress primary =
        (InetSocketAddress)
            ((InternalRemoteCache<?, ?>) CACHES.get(0))
                .getDispatcher()
                .getConsistentHash(CACHE)
                .getServer(ObjectKeys.root(object + run()).getBytes(UTF_8));
    return ports().indexOf(primary.getPort());
  }
}
