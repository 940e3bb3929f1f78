package io.ensemble.testkit.embedded;

import static io.ensemble.testkit.embedded.EmbeddedClients.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ensemble.testkit.link.NodeLink;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.infinispan.client.hotrod.RemoteCache;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.infinispan.client.hotrod.exceptions.TransportException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class LinkIT {
  private static final int KEYS = 60;
  private static final Duration BOUND = Duration.ofSeconds(60);
  private static EmbeddedSite site;
  private static RemoteCacheManager client;
  private static RemoteCache<byte[], byte[]> cache;

  @BeforeAll
  static void start() {
    site = SharedFederation.threeNodes().site("lyon");
    client = EmbeddedClients.of(site);
    cache = EmbeddedClients.create(client, "wired");
    for (int i = 0; i < KEYS; i++) {
      cache.put(key(i), bytes("v"));
    }
  }

  @AfterAll
  static void stop() {
    client.administration().removeCache("wired");
    client.close();
    await("the node that was killed has its share").atMost(BOUND).until(site::isBalanced);
  }

  // Each test starts with an open connection to every node: a faulty link would also prevent
  // new connections, and the test would then not reach the call that it checks.
  // After a cut the client asks other nodes for a while, so one pass over the keys may not suffice.
  @BeforeEach
  void warmUp() {
    await("a connection to every node").atMost(BOUND).until(LinkIT::reachesEveryNode);
  }

  private static boolean reachesEveryNode() {
    for (int i = 0; i < KEYS; i++) {
      readDespiteOldConnections(key(i));
    }
    return everyNodeIsConnected();
  }

  private static boolean everyNodeIsConnected() {
    return IntStream.range(0, 3).allMatch(node -> site.link(node).connections() > 0);
  }

  private static void readDespiteOldConnections(byte[] key) {
    for (int attempt = 1; ; attempt++) {
      try {
        assertThat(cache.get(key)).isEqualTo(bytes("v"));
        return;
      } catch (TransportException e) {
        if (attempt == 5) {
          throw e;
        }
      }
    }
  }

  @AfterEach
  void heal() {
    site.resume();
  }

  @Test
  void hashAwareClientsGoThroughTheLinkOfEveryNode() {
    assertThat(cache.getCacheTopologyInfo().getTopologyId()).isNotEqualTo(-1);
    assertThat(cache.getCacheTopologyInfo().getSegmentsPerServer().keySet())
        .containsExactlyInAnyOrderElementsOf(List.<SocketAddress>copyOf(site.endpoints()));

    for (int node = 0; node < 3; node++) {
      assertThat(site.link(node).connections()).as("node %d", node).isPositive();
      site.link(node).delay(Duration.ofMillis(100));
    }
    for (int i = 0; i < 5; i++) {
      assertThat(elapsed(key(i))).isGreaterThanOrEqualTo(Duration.ofMillis(200));
    }

    site.resume();
    await("one call that takes less than the delay took")
        .atMost(BOUND)
        .until(() -> elapsed(key(0)).toMillis() < 200);
  }

  @Test
  void aSlowNodeSlowsOnlyTheKeysThatItOwns() throws Exception {
    site.link(1).delay(Duration.ofMillis(500));

    List<CompletableFuture<byte[]>> reads = new ArrayList<>();
    for (int i = 0; i < KEYS; i++) {
      reads.add(cache.getAsync(key(i)));
    }
    CompletableFuture<?>[] all = reads.toArray(CompletableFuture<?>[]::new);
    CompletableFuture.anyOf(all).get(30, TimeUnit.SECONDS);

    assertThat(reads).as("the first answer comes before others").anyMatch(read -> !read.isDone());
    CompletableFuture.allOf(all).get(30, TimeUnit.SECONDS);
  }

  @Test
  void aHungSiteAnswersNothingUntilItIsResumed() throws Exception {
    site.hang();
    assertThatThrownBy(() -> cache.get(key(0)))
        .isInstanceOf(TransportException.class)
        .hasCauseInstanceOf(SocketTimeoutException.class);

    site.resume();
    assertThat(cache.getAsync(key(0)).get(30, TimeUnit.SECONDS)).isEqualTo(bytes("v"));
  }

  @Test
  void aHungSiteAcceptsNewConnections() {
    site.hang();

    try (RemoteCacheManager late = EmbeddedClients.ofNode(site, 0)) {
      assertThatThrownBy(() -> late.getCache("wired").get(key(0)))
          .isInstanceOf(TransportException.class)
          .hasRootCauseInstanceOf(SocketTimeoutException.class);
    }
  }

  @Test
  void aWriteWhoseReplyIsBlockedHasTakenEffect() {
    links(NodeLink::blockReplies);
    assertThatThrownBy(() -> cache.put(bytes("reply"), bytes("applied")))
        .hasCauseInstanceOf(SocketTimeoutException.class);

    site.resume();
    assertThat(cache.get(bytes("reply"))).isEqualTo(bytes("applied"));
  }

  @Test
  void aWriteWhoseRequestIsBlockedTakesEffectOnlyWhenHealed() throws Exception {
    int before = site.size("wired");
    links(NodeLink::blockRequests);
    CompletableFuture<byte[]> write = cache.putAsync(bytes("request"), bytes("late"));
    await("no effect")
        .during(Duration.ofMillis(300))
        .atMost(Duration.ofMinutes(1))
        .until(() -> site.size("wired") == before);
    assertThat(write).isNotDone();

    site.resume();
    write.get(30, TimeUnit.SECONDS);
    assertThat(cache.get(bytes("request"))).isEqualTo(bytes("late"));
    assertThat(site.size("wired")).isEqualTo(before + 1);
  }

  @Test
  void aCutSiteFailsAtOnceAndServesTheSameClientAgainWhenHealed() {
    site.cut();
    for (int i = 0; i < 5; i++) {
      int index = i;
      assertThatThrownBy(() -> cache.get(key(index))).isInstanceOf(TransportException.class);
    }

    site.resume();
    assertThat(cache.get(key(0))).isEqualTo(bytes("v"));
  }

  @Test
  void aDelayThatShrinksUnderLoadReordersNothing() throws Exception {
    // Each write has its own key: a node may reorder two writes of one key on one connection.
    List<CompletableFuture<?>> writes = new ArrayList<>();
    for (int i = 0; i < 800; i++) {
      if (i % 20 == 0) {
        Duration oneWay = Duration.ofMillis(i % 40 == 0 ? 30 : 1);
        links(link -> link.delay(oneWay));
      }
      writes.add(cache.putAsync(bytes("load" + i), bytes("value" + i)));
    }

    // A reordered or torn stream would be a protocol error and end the connection.
    CompletableFuture.allOf(writes.toArray(CompletableFuture<?>[]::new)).get(30, TimeUnit.SECONDS);
    for (int i = 0; i < 800; i++) {
      assertThat(cache.get(bytes("load" + i))).isEqualTo(bytes("value" + i));
    }
  }

  @Test
  void aFaultSurvivesTheRestartOfItsNode() throws IOException {
    site.link(2).cut();
    site.killNode(2);
    site.restartNode(2);

    assertThat(endsAtOnce(site.endpoints().get(2))).isTrue();
    site.link(2).heal();
    try (RemoteCacheManager alone = EmbeddedClients.ofNode(site, 2)) {
      assertThat(alone.<byte[], byte[]>getCache("wired").get(key(0))).isEqualTo(bytes("v"));
    }
  }

  @Test
  void aNegativeDelayIsRefused() {
    assertThatThrownBy(() -> site.link(0).delay(Duration.ofMillis(-1)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** Uses a plain socket: a Hot Rod client may hang if its connection is cut during its start. */
  private static boolean endsAtOnce(InetSocketAddress node) throws IOException {
    try (Socket socket = new Socket(node.getHostString(), node.getPort())) {
      socket.setSoTimeout(20_000);
      socket.getOutputStream().write(1);
      return socket.getInputStream().read() == -1;
    } catch (SocketException reset) {
      return true;
    }
  }

  private static void links(Consumer<NodeLink> fault) {
    for (int node = 0; node < 3; node++) {
      fault.accept(site.link(node));
    }
  }

  private static byte[] key(int index) {
    return bytes("key" + index);
  }

  private static Duration elapsed(byte[] key) {
    long started = System.nanoTime();
    cache.get(key);
    return Duration.ofNanos(System.nanoTime() - started);
  }
}
