package io.ensemble.testkit.embedded;

import static io.ensemble.testkit.embedded.EmbeddedClients.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.infinispan.client.hotrod.RemoteCache;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A network partition between the nodes of a site, and its end. */
@Timeout(180)
class ClusterSplitIT {
  private static final Duration LONGEST = Duration.ofSeconds(60);

  private final EmbeddedSite site = SharedFederation.threeNodes().site("lyon");
  private final List<RemoteCacheManager> clients = new ArrayList<>();

  @AfterEach
  void close() {
    site.unite();
    clients.forEach(RemoteCacheManager::close);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void nodesOfEachGroupReachOnlyEachOtherUntilTheSiteIsUnited(boolean oneIsApart) {
    site.split(
        oneIsApart
            ? List.of(List.of(0), List.of(1, 2))
            : List.of(List.of(0), List.of(1), List.of(2)));

    assertThat(reached()).isEqualTo(oneIsApart ? List.of(1, 2, 2) : List.of(1, 1, 1));

    site.unite();

    assertThat(reached()).containsExactly(3, 3, 3);
    awaitWhole();
  }

  @Test
  void aStoreOfOneNodeServesDuringASplitAndOneOfAllNodesDoesNot() {
    RemoteCacheManager all = remember(EmbeddedClients.of(site));
    EmbeddedClients.createPessimistic(all, "split-shared").put(bytes("k"), bytes("v"));
    EmbeddedClients.createLocal(all, "split-local");
    List<RemoteCache<byte[], byte[]>> nodes =
        IntStream.range(0, 3)
            .mapToObj(node -> remember(EmbeddedClients.ofNode(site, node)))
            .map(client -> client.<byte[], byte[]>getCache("split-local"))
            .toList();
    nodes.forEach(node -> node.put(bytes("before"), bytes("v")));
    awaitWhole();

    site.split(List.of(List.of(0), List.of(1), List.of(2)));

    await("the shared store refuses").atMost(LONGEST).until(site::isDegraded);
    for (RemoteCache<byte[], byte[]> node : nodes) {
      node.put(bytes("during"), bytes("v"));
      assertThat(node.get(bytes("before"))).isEqualTo(bytes("v"));
    }

    site.unite();

    awaitWhole();
    for (RemoteCache<byte[], byte[]> node : nodes) {
      assertThat(node.get(bytes("during"))).isEqualTo(bytes("v"));
    }
    // The store serves again. It may have lost its entries: see docs/reliability.md.
    RemoteCache<byte[], byte[]> shared = all.getCache("split-shared");
    await("the shared store serves again")
        .atMost(LONGEST)
        .ignoreExceptions()
        .untilAsserted(
            () -> {
              shared.put(bytes("after"), bytes("v"));
              assertThat(shared.get(bytes("after"))).isEqualTo(bytes("v"));
            });
    all.administration().removeCache("split-shared");
    all.administration().removeCache("split-local");
  }

  private List<Integer> reached() {
    return IntStream.range(0, 3).mapToObj(site::reachedFrom).toList();
  }

  private void awaitWhole() {
    await("the site is whole").atMost(LONGEST).until(() -> site.isBalanced() && !site.isDegraded());
  }

  private RemoteCacheManager remember(RemoteCacheManager client) {
    clients.add(client);
    return client;
  }
}
