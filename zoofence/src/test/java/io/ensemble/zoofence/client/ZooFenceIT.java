package io.ensemble.zoofence.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.zoofence.embedded.EmbeddedInstance;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
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
}
