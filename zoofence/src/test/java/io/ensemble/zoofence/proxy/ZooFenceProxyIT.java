package io.ensemble.zoofence.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.zoofence.RawClient;
import io.ensemble.zoofence.deployment.Deployment;
import io.ensemble.zoofence.embedded.EmbeddedInstance;
import io.ensemble.zoofence.link.InstanceServers;
import io.ensemble.zoofence.queue.executor.CommandExecutor;
import io.ensemble.zoofence.session.routing.ReadPreference;
import io.ensemble.zoofence.session.routing.RoutingContext;
import io.ensemble.zoofence.wire.ZooKeeperReply;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ZooFenceProxyIT {
  @TempDir Path directory;

  private final List<EmbeddedInstance> instances = new ArrayList<>();
  private final List<AutoCloseable> opened = new ArrayList<>();
  private ZooFenceProxy proxy;

  @BeforeEach
  void start() throws Exception {
    for (int i = 0; i < 3; i++) {
      Path own = Files.createDirectory(directory.resolve("instance" + i));
      instances.add(EmbeddedInstance.start(own, 0));
    }
    var servers = new ArrayList<InstanceServers>();
    for (EmbeddedInstance instance : instances) {
      servers.add(instance.servers(Integer.toString(servers.size() + 1)));
    }
    var deployment =
        Deployment.join(servers, servers.get(0), "/a 1\n/b 2\n/c 3\n", Duration.ofSeconds(10));
    var router =
        new RoutingContext(
            deployment.instances(),
            deployment.admin(),
            deployment.epoch(),
            Duration.ofSeconds(5),
            ReadPreference.CANONICAL);
    proxy = ZooFenceProxy.serve(router, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    opened.add(
        new CommandExecutor(deployment.instances(), deployment.admin(), deployment::flattening));
    try (var client = client()) {
      for (String path : List.of("/a", "/b", "/c", "/all")) {
        client.create(path, null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
      }
    }
  }

  private ZooKeeper client() throws Exception {
    return client(proxy.address().getPort(), new LinkedBlockingQueue<>());
  }

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable one : opened) {
      one.close();
    }
    proxy.close();
    instances.forEach(EmbeddedInstance::close);
  }

  private ZooKeeper client(int port, LinkedBlockingQueue<WatchedEvent> events) throws Exception {
    var connected = new CountDownLatch(1);
    var made =
        new ZooKeeper(
            "127.0.0.1:" + port,
            6000,
            event -> {
              if (event.getType() == WatchedEvent.class.cast(event).getType()) {
                events.add(event);
              }
              connected.countDown();
            });
    assertThat(connected.await(60, TimeUnit.SECONDS)).isTrue();
    return made;
  }

  @Test
  void requestsReachTheInstanceThatHoldsTheirPath() throws Exception {
    try (var client = client(proxy.address().getPort(), new LinkedBlockingQueue<>())) {
      client.create("/b/x", "one".getBytes(), Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
      client.create("/c/x", "two".getBytes(), Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
      Stat set = client.setData("/b/x", "more".getBytes(), 0);

      assertThat(set.getVersion()).isEqualTo(1);
      assertThat(client.getData("/b/x", false, null)).isEqualTo("more".getBytes());
      assertThat(client.exists("/c/x", false).getEphemeralOwner()).isEqualTo(client.getSessionId());
      assertThat(client.getChildren("/", false))
          .containsExactlyInAnyOrder("a", "all", "b", "c", "zookeeper");
      assertThat(client.getChildren("/zookeeper", false))
          .containsExactlyInAnyOrder("config", "quota");
      assertThatThrownBy(() -> client.delete("/b/x", 7))
          .isInstanceOf(KeeperException.BadVersionException.class);
      assertThatThrownBy(() -> client.exists("/zookeeper/zoofence/guard", false))
          .isInstanceOf(KeeperException.NoAuthException.class);
      assertThat(instances.get(1).server().getZKDatabase().getNode("/b/x")).isNotNull();
      assertThat(instances.get(0).server().getZKDatabase().getNode("/b/x")).isNull();
    }
    assertThat(instances.get(2).server().getZKDatabase().getNode("/c/x")).isNull();
  }

  @Test
  void whatAllHoldChangesAtAll() throws Exception {
    try (var client = client();
        var other = client()) {
      var stat = new Stat();
      client.create("/all/x", "one".getBytes(), Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT, stat);
      client.setData("/all/x", "two".getBytes(), 0);
      String first =
          client.create("/all/s-", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL_SEQUENTIAL);
      String second =
          other.create("/all/s-", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT_SEQUENTIAL);

      assertThat(stat.getCzxid()).isPositive();
      assertThat(other.getData("/all/x", false, null)).isEqualTo("two".getBytes());
      assertThat(first).isEqualTo("/all/s-0000000001");
      assertThat(second).isEqualTo("/all/s-0000000002");
      assertThatThrownBy(() -> client.setData("/all/x", null, 0))
          .isInstanceOf(KeeperException.BadVersionException.class);
      assertThatThrownBy(
              () -> client.create(first + "/y", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT))
          .isInstanceOf(KeeperException.NoChildrenForEphemeralsException.class);
      for (EmbeddedInstance instance : instances) {
        assertThat(instance.server().getZKDatabase().getNode("/all/x").getData())
            .isEqualTo("two".getBytes());
        assertThat(instance.server().getZKDatabase().getNode(second)).isNotNull();
      }
      client.close();
      assertThat(other.exists(first, false)).isNull();
    }
  }

  @Test
  void aSubtreeIsRemovedOnlyWhenItsHolderHasNothingBelow() throws Exception {
    try (var client = client()) {
      client.create("/b/x", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);

      assertThatThrownBy(() -> client.delete("/b", -1))
          .isInstanceOf(KeeperException.NotEmptyException.class);
      client.delete("/b/x", -1);
      client.delete("/b", -1);

      assertThat(client.exists("/b", false)).isNull();
      assertThat(instances.get(0).server().getZKDatabase().getNode("/b")).isNull();
    }
  }

  @Test
  void aRequestOfNoKindIsToldSoAndTheConnectionClosed() throws Exception {
    try (var client = new RawClient(proxy.address().getPort(), 6000)) {
      client.send(ZooKeeperRequest.bare(888).numbered(1));

      ZooKeeperReply told = client.read();
      assertThat(told.xid()).isEqualTo(1);
      assertThat(told.failedWith(KeeperException.Code.UNIMPLEMENTED)).isTrue();
      assertThat(client.read()).as("the end of the connection").isNull();
    }
  }
}
