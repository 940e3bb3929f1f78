package io.ensemble.zoofence.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ensemble.zoofence.InstanceLocks;
import io.ensemble.zoofence.TestDeployment;
import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.deployment.DeploymentException;
import io.ensemble.zoofence.embedded.EmbeddedInstance;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ZooFenceIT {
  @TempDir Path directory;

  private final List<EmbeddedInstance> instances = new ArrayList<>();
  private String connectString = "";

  @BeforeEach
  void start() throws Exception {
    for (int i = 0; i < 2; i++) {
      instances.add(EmbeddedInstance.start(Files.createDirectory(directory.resolve("i" + i)), 0));
    }
    connectString =
        "127.0.0.1:" + instances.get(0).port() + "|127.0.0.1:" + instances.get(1).port();
  }

  @AfterEach
  void stop() {
    instances.forEach(EmbeddedInstance::close);
  }

  @Test
  void itTakesThePlaceOfZooKeepersClient() throws Exception {
    var changed = new CountDownLatch(1);
    try (ZooKeeper client = new ZooFence(connectString, 6000, event -> {});
        ZooKeeper other = new ZooFence(connectString + "/app", 6000, event -> {})) {
      client.create("/app", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
      other.create("/x", "one".getBytes(), Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
      client.getData(
          "/app/x",
          (WatchedEvent event) -> {
            if (event.getType() == EventType.NodeDeleted) {
              changed.countDown();
            }
          },
          null);

      assertThat(client.exists("/app/x", false).getEphemeralOwner())
          .isEqualTo(other.getSessionId());
      other.close();

      assertThat(changed.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(client.exists("/app/x", false)).isNull();
    }
  }

  @Test
  void aConnectStringWithAnEmptyPartIsRefused() {
    assertThatThrownBy(() -> new ZooFence("127.0.0.1:1||127.0.0.1:2", 6000, event -> {}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("empty");
  }

  @Test
  void aChrootThatIsNoPathIsRefusedBeforeTheDeploymentIsJoined() {
    assertThatThrownBy(() -> new ZooFence(connectString + "/app/", 6000, event -> {}))
        .isInstanceOf(IllegalArgumentException.class);

    assertThat(instances.get(0).server().getZKDatabase().getNode(ZooFencePaths.ADMIN)).isNull();
  }

  @Test
  void aDeploymentThatDoesNotAnswerDelaysNoOther() throws Exception {
    try (var silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      String unreachable = "127.0.0.1:" + silent.getLocalPort() + "|127.0.0.1:1";
      CompletableFuture<Void> first =
          CompletableFuture.runAsync(
              () ->
                  assertThatThrownBy(() -> new ZooFence(unreachable, 6000, event -> {}))
                      .isInstanceOf(DeploymentException.class),
              work -> new Thread(work, "first").start());
      try (Socket joining = silent.accept();
          ZooKeeper second = new ZooFence(connectString, 6000, event -> {})) {
        assertThat(joining.isConnected()).isTrue();
        assertThat(first).isNotDone();
        second.create("/x", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
      }
      first.get(60, TimeUnit.SECONDS);
    }
  }

  @Test
  void aProcessThatDoesNotExecuteLeadsNoQueue() throws Exception {
    try (ZooKeeper client =
            new ZooFence(
                connectString, 6000, event -> {}, ClientOptions.DEFAULT.withExecute(false));
        ZooKeeper admin =
            TestDeployment.client("127.0.0.1:" + instances.get(0).port(), 6000, event -> {})) {
      client.create(
          "/x",
          null,
          Ids.OPEN_ACL_UNSAFE,
          CreateMode.PERSISTENT,
          (code, path, context, name) -> {},
          null);
      await("the command is in its queue")
          .atMost(60, TimeUnit.SECONDS)
          .until(() -> admin.exists(ZooFencePaths.QUEUES + "/3", false) != null);

      assertThat(admin.getChildren(ZooFencePaths.LEADERS, false)).isEmpty();
      try (ZooKeeper leader = new ZooFence(connectString, 6000, event -> {})) {
        await("the command is executed")
            .atMost(60, TimeUnit.SECONDS)
            .until(() -> leader.exists("/x", false) != null);
      }
    }
  }

  @Test
  void refusedRequestsDoNotPileUpOnTheStack() throws Exception {
    int count = 30_000;
    var refused = new CountDownLatch(count);
    var codes = new ConcurrentSkipListSet<Integer>();
    try (ZooKeeper client = new ZooFence(connectString, 6000, event -> {});
        ZooKeeper instance =
            TestDeployment.client("127.0.0.1:" + instances.get(0).port(), 6000, event -> {})) {
      client.create("/x", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
      var lock = new InstanceLocks.Lock("test:0", false, "/x");
      instance.setData(ZooFencePaths.GUARD, new InstanceLocks(List.of(lock)).bytes(), -1);
      // A read of a locked path waits, and all requests behind it.
      client.exists("/x", false, (code, path, context, stat) -> {}, null);
      for (int i = 0; i < count; i++) {
        client.getData(
            ZooFencePaths.ADMIN,
            false,
            (code, path, context, data, stat) -> {
              codes.add(code);
              refused.countDown();
            },
            null);
      }
      instance.setData(ZooFencePaths.GUARD, InstanceLocks.NONE.bytes(), -1);

      assertThat(refused.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(codes).containsExactly(Code.NOAUTH.intValue());
    }
  }
}
