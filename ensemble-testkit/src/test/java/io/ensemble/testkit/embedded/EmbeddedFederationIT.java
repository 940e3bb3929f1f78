package io.ensemble.testkit.embedded;

import static io.ensemble.testkit.embedded.EmbeddedClients.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.infinispan.client.hotrod.RemoteCache;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.infinispan.client.hotrod.exceptions.HotRodClientException;
import org.infinispan.client.hotrod.exceptions.TransportException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(400)
class EmbeddedFederationIT {
  private static final int ENTRIES = 200;
  private static final Queue<String> PROGRESS = new ConcurrentLinkedQueue<>();
  private static EmbeddedFederation federation;

  private final List<RemoteCacheManager> clients = new ArrayList<>();

  @BeforeAll
  static void start() {
    federation =
        EmbeddedFederation.start(EmbeddedFederation.Options.defaults().withProgress(PROGRESS::add));
  }

  @AfterAll
  static void stop() {
    federation.close();
  }

  @AfterEach
  void closeClients() {
    clients.forEach(RemoteCacheManager::close);
  }

  @Test
  void threeSitesOfThreeNodesStartAndSaySo() {
    assertThat(federation.sites())
        .extracting(EmbeddedSite::name)
        .containsExactly("lyon", "oslo", "rome");
    assertThat(federation.sites())
        .allSatisfy(site -> assertThat(site.endpoints()).doesNotHaveDuplicates().hasSize(3));
    assertThat(PROGRESS).contains("site lyon up", "site oslo up", "site rome up");
    assertThatThrownBy(() -> federation.site("atlantis"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("atlantis");
  }

  @Test
  void aCacheCreatedByAClientAnswersOnEveryNodeAtOnce() {
    EmbeddedSite lyon = federation.site("lyon");
    EmbeddedClients.createPessimistic(client(lyon), "everywhere");

    for (int node = 0; node < 3; node++) {
      RemoteCache<byte[], byte[]> alone =
          remember(EmbeddedClients.ofNode(lyon, node)).getCache("everywhere");
      alone.put(bytes("from-" + node), bytes("v"));
      assertThat(alone.get(bytes("from-0"))).isEqualTo(bytes("v"));
    }
    assertThat(lyon.size("everywhere")).isEqualTo(3);
  }

  @Test
  void aSiteIsInBalanceAgainWhenANodeThatCameBackHoldsItsShare() {
    EmbeddedSite rome = federation.site("rome");
    RemoteCache<byte[], byte[]> cache = EmbeddedClients.createPessimistic(client(rome), "balance");
    for (int i = 0; i < ENTRIES; i++) {
      cache.put(bytes("k" + i), bytes("v"));
    }
    assertThat(rome.isBalanced()).isTrue();

    rome.killNode(2);
    boolean whileOneIsGone = rome.isBalanced();
    rome.restartNode(2);

    assertThat(whileOneIsGone).isFalse();
    awaitBalance(rome);
  }

  private static void awaitBalance(EmbeddedSite site) {
    await("a balanced site").atMost(Duration.ofSeconds(90)).until(site::isBalanced);
  }

  @Test
  void compareAndSetSucceedsOnceForEachVersion() {
    RemoteCache<byte[], byte[]> cache =
        EmbeddedClients.createPessimistic(client(federation.site("lyon")), "cas");
    cache.put(bytes("k"), bytes("1"));
    long version = cache.getWithMetadata(bytes("k")).getVersion();

    assertThat(cache.replaceWithVersion(bytes("k"), bytes("2"), version)).isTrue();
    assertThat(cache.replaceWithVersion(bytes("k"), bytes("3"), version)).isFalse();
    assertThat(cache.get(bytes("k"))).isEqualTo(bytes("2"));
  }

  @Test
  void eachRequestIsCountedAtTheNodeThatAnswersIt() {
    EmbeddedSite lyon = federation.site("lyon");
    EmbeddedClients.createLocal(client(lyon), "counted");
    RemoteCache<byte[], byte[]> alone =
        remember(EmbeddedClients.ofNode(lyon, 1)).getCache("counted");
    alone.put(bytes("k"), bytes("0"));
    long before = lyon.responses(1);
    long other = lyon.responses(2);

    for (int i = 0; i < ENTRIES; i++) {
      alone.put(bytes("k"), bytes("v"));
      alone.get(bytes("k"));
    }

    assertThat(lyon.responses(1) - before).isEqualTo(2L * ENTRIES);
    assertThat(lyon.responses(2)).isEqualTo(other);
  }

  @Test
  void sitesDoNotShareCaches() {
    EmbeddedClients.create(client(federation.site("lyon")), "only-lyon");

    assertThat((Object) client(federation.site("oslo")).getCache("only-lyon")).isNull();
    assertThatThrownBy(() -> federation.site("oslo").size("only-lyon"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("only-lyon");
  }

  @Test
  void aKilledSiteLeavesTheOthersAloneAndReturnsEmptyOnItsPorts() {
    EmbeddedSite rome = federation.site("rome");
    List<InetSocketAddress> before = rome.endpoints();
    RemoteCache<byte[], byte[]> killed = EmbeddedClients.createPessimistic(client(rome), "memory");
    RemoteCache<byte[], byte[]> other =
        EmbeddedClients.createPessimistic(client(federation.site("oslo")), "memory");
    fill(killed);
    fill(other);

    rome.kill();

    assertThat(rome.isRunning()).isFalse();
    assertThatThrownBy(() -> killed.get(bytes("k1"))).isInstanceOf(TransportException.class);
    assertThat(present(other)).isEqualTo(ENTRIES);

    rome.restart();

    assertThat(rome.isRunning()).isTrue();
    assertThat(rome.endpoints()).isEqualTo(before);
    assertThatThrownBy(() -> killed.get(bytes("k1")))
        .isInstanceOf(HotRodClientException.class)
        .isNotInstanceOf(TransportException.class)
        .hasMessageContaining("CacheNotFoundException");
    // A client that was open during the outage works without a restart.
    RemoteCache<byte[], byte[]> again = EmbeddedClients.createPessimistic(clients.get(0), "memory");
    assertThat(present(again)).isZero();
    again.put(bytes("k1"), bytes("new"));
    assertThat(rome.size("memory")).isEqualTo(1);
  }

  @Test
  void eachNodeInTurnMayDieAndReturnWithoutLoss() {
    EmbeddedSite oslo = federation.site("oslo");
    fill(EmbeddedClients.createPessimistic(client(oslo), "survivor"));

    for (int node = 0; node < 3; node++) {
      oslo.killNode(node);
      assertThat(oslo.isRunning()).isTrue();
      oslo.restartNode(node);
      awaitBalance(oslo);
      RemoteCache<byte[], byte[]> alone =
          remember(EmbeddedClients.ofNode(oslo, node)).getCache("survivor");
      assertThat(present(alone)).as("after node %d returned", node).isEqualTo(ENTRIES);
    }
    assertThat(oslo.size("survivor")).isEqualTo(ENTRIES);
  }

  @Test
  void aNodeThatRunsCannotBeStartedTwice() {
    assertThatThrownBy(() -> federation.site("lyon").restartNode(1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("site=lyon node=1");
  }

  @Test
  void aSiteOfOneNodeKnowsItsTopology() {
    try (EmbeddedFederation single =
        EmbeddedFederation.start(
            EmbeddedFederation.Options.defaults().withSiteNames("solo").withNodesPerSite(1))) {
      RemoteCache<byte[], byte[]> cache =
          EmbeddedClients.createPessimistic(client(single.site("solo")), "alone");
      cache.put(bytes("k"), bytes("v"));
      assertThat(cache.getCacheTopologyInfo().getTopologyId()).isNotEqualTo(-1);
    }
  }

  private RemoteCacheManager client(EmbeddedSite site) {
    return remember(EmbeddedClients.of(site));
  }

  private RemoteCacheManager remember(RemoteCacheManager client) {
    clients.add(client);
    return client;
  }

  private static void fill(RemoteCache<byte[], byte[]> cache) {
    for (int i = 0; i < ENTRIES; i++) {
      cache.put(bytes("k" + i), bytes("v" + i));
    }
  }

  private static long present(RemoteCache<byte[], byte[]> cache) {
    long found = 0;
    for (int i = 0; i < ENTRIES; i++) {
      if (cache.get(bytes("k" + i)) != null) {
        found++;
      }
    }
    return found;
  }
}
