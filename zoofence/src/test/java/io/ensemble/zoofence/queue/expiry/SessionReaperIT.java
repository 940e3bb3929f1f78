package io.ensemble.zoofence.queue.expiry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.zoofence.TestDeployment;
import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.deployment.SubtreeMover;
import io.ensemble.zoofence.link.InstanceServers;
import io.ensemble.zoofence.proxy.ProxyNode;
import io.ensemble.zoofence.queue.AdminAccess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.zookeeper.AsyncCallback.ChildrenCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The end of sessions, looked for by a reaper without the rest of an executor. */
final class SessionReaperIT {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  @TempDir Path directory;

  private final ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();

  @AfterEach
  void stop() {
    executor.shutdownNow();
  }

  private SessionReaper reaper(ZooKeeper admin, TestDeployment deployment) {
    return new SessionReaper(
        admin,
        deployment.deployment().instances().stream().map(InstanceServers::name).toList(),
        AdminAccess.OPEN,
        executor,
        task -> executor.schedule(task, 100, TimeUnit.MILLISECONDS));
  }

  /** The deployment was joined before the move: its flattening is a former one. */
  @Test
  void anEphemeralZnodeIsRemovedWhereItIsSinceAMove() throws Exception {
    try (var deployment = new TestDeployment(directory, 3, "/sub 1,2")) {
      long session;
      try (ProxyNode node = deployment.serve(true)) {
        ZooKeeper client = TestDeployment.client(node);
        client.create("/sub", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        // There is a queue of the former holders, too.
        client.create("/sub/other", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        new SubtreeMover(deployment.deployment(), TIMEOUT).move("/sub", "2,3", List.of(), TIMEOUT);
        client.create("/sub/mine", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
        session = client.getSessionId();
      }
      assertThat(deployment.node(2, "/sub/mine")).isNotNull();
      // From here on no process executes commands or reaps.
      deployment.instances().get(0).server().closeSession(session);

      String records = ZooFencePaths.EPHEMERALS + "/" + ZooFencePaths.hex(session);
      try (ZooKeeper admin =
          TestDeployment.client(
              deployment.deployment().admin().connectString(), 10_000, event -> {})) {
        reaper(admin, deployment).begin();
        await("the znode's removal is in a queue")
            .atMost(TIMEOUT)
            .until(() -> deployment.node(0, records) == null);
      }
      try (ProxyNode node = deployment.serve(true);
          ZooKeeper other = TestDeployment.client(node)) {
        for (String queue : List.of("3", "6")) {
          await("the commands of the queues have ended")
              .atMost(TIMEOUT)
              .until(
                  () ->
                      deployment
                          .node(0, ZooFencePaths.QUEUES + "/" + queue)
                          .getChildren()
                          .isEmpty());
        }

        assertThat(other.exists("/sub/mine", false)).isNull();
        assertThat(deployment.node(1, "/sub/mine")).isNull();
        assertThat(deployment.node(2, "/sub/mine")).isNull();
      }
    }
  }

  @Test
  void allChecksShareOneWatcher() throws Exception {
    try (var deployment = new TestDeployment(directory, 2, "/one 2");
        var admin = new WatcherRecorder(deployment.deployment().admin().connectString())) {
      SessionReaper reaper = reaper(admin, deployment);
      executor.execute(reaper::begin);
      for (int check = 0; check < 5; check++) {
        executor.execute(reaper::checkSessions);
      }
      await("the checks").atMost(TIMEOUT).until(() -> admin.looks.get() >= 6);

      assertThat(admin.watchers).hasSize(1);
    }
  }

  /** A client that records which watchers are set for the ends of sessions. */
  private static final class WatcherRecorder extends ZooKeeper {
    private final AtomicInteger looks = new AtomicInteger();
    private final Set<Watcher> watchers =
        Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));

    WatcherRecorder(String servers) throws IOException {
      super(servers, 10_000, event -> {});
    }

    @Override
    public void getChildren(
        String path, @Nullable Watcher watcher, ChildrenCallback callback, @Nullable Object of) {
      if (path.equals(ZooFencePaths.LIVE) && watcher != null) {
        watchers.add(watcher);
        looks.incrementAndGet();
      }
      super.getChildren(path, watcher, callback, of);
    }
  }
}
