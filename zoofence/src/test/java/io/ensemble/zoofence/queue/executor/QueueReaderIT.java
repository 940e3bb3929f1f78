package io.ensemble.zoofence.queue.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.zoofence.TestDeployment;
import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.proxy.ProxyNode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Of all candidates for the lead of a queue, only the leader watches the queue's commands. */
final class QueueReaderIT {
  private static final InstanceSet BOTH = InstanceSet.first(2);

  @TempDir Path directory;

  @Test
  @Timeout(240)
  void whoDoesNotLeadHearsNothingAndWhoComesNextHearsAll() throws Exception {
    try (var deployment = new TestDeployment(directory, 2, "/one 2")) {
      ProxyNode first = deployment.serve(true);
      ProxyNode second = deployment.serve(true);
      try (ZooKeeper client = TestDeployment.client(deployment.serve(false))) {
        client.create("/all", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);

        Set<Long> hears = watchers(deployment);
        assertThat(hears).hasSize(1);

        first.close();
        client.create("/all/a", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        client.create("/all/b", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        assertThat(watchers(deployment)).hasSize(1);

        second.close();
        deployment.serve(true);
        client.create("/all/c", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        assertThat(watchers(deployment)).hasSize(1).doesNotContainAnyElementsOf(hears);
      }
    }
  }

  @Test
  @Timeout(120)
  void aZnodeThatIsNoCommandIsRemoved() throws Exception {
    try (var deployment = new TestDeployment(directory, 2, "/one 2");
        ZooKeeper client = TestDeployment.client(deployment.serve(false));
        ZooKeeper stranger =
            TestDeployment.client(
                deployment.deployment().admin().connectString(), 20_000, event -> {})) {
      String queue = ZooFencePaths.queue(BOTH);
      stranger.create(queue, null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
      stranger.addAuthInfo("digest", "stranger:secret".getBytes(StandardCharsets.UTF_8));
      stranger.create(queue + "/note", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
      stranger.create(queue + "/c-", null, Ids.CREATOR_ALL_ACL, CreateMode.PERSISTENT_SEQUENTIAL);

      deployment.serve(true);
      await("the queue is empty")
          .atMost(60, TimeUnit.SECONDS)
          .until(() -> stranger.getChildren(queue, false).isEmpty());
      client.create("/all", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    }
  }

  /** The sessions that watch a queue. */
  private static Set<Long> watchers(TestDeployment deployment) {
    // A session that has ended is removed a moment later.
    return await("one session watches the queue")
        .pollDelay(Duration.ZERO)
        .pollInterval(20, TimeUnit.MILLISECONDS)
        .atMost(60, TimeUnit.SECONDS)
        .until(() -> sessions(deployment), sessions -> sessions.size() == 1);
  }

  private static Set<Long> sessions(TestDeployment deployment) {
    return Objects.requireNonNullElse(
        deployment
            .instances()
            .get(0)
            .server()
            .getZKDatabase()
            .getDataTree()
            .getWatchesByPath()
            .getSessions(ZooFencePaths.queue(BOTH)),
        Set.of());
  }
}
