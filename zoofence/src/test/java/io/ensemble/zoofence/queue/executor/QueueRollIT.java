package io.ensemble.zoofence.queue.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.zoofence.TestDeployment;
import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.deployment.Deployment;
import io.ensemble.zoofence.deployment.SubtreeMover;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.queue.AdminAccess;
import io.ensemble.zoofence.queue.QueueCommand;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The znode of a queue is replaced before its counter ends, while clients use the queue. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
final class QueueRollIT {
  private static final int ROLL_AT = 5;
  private static final int CALLS = 120;

  @TempDir Path directory;

  private static CommandExecutor execute(TestDeployment deployment) {
    Deployment joined = deployment.deployment();
    return new CommandExecutor(
        joined.instances(), joined.admin(), joined::flattening, AdminAccess.OPEN, ROLL_AT);
  }

  private static long base(TestDeployment deployment, InstanceSet set) {
    byte[] data =
        Objects.requireNonNull(deployment.node(0, ZooFencePaths.queue(set)), "queue").getData();
    return data.length == 0 ? 0 : Long.parseLong(new String(data));
  }

  @Test
  void noCommandIsLostOrDoneTwice() throws Exception {
    try (var deployment = new TestDeployment(directory, 3, "/pair 1 2");
        CommandExecutor leader = execute(deployment);
        ZooKeeper client = TestDeployment.client(deployment.serve(false))) {
      client.create("/all", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
      client.create("/pair", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
      var failures = new AtomicInteger();
      var permits = new Semaphore(3);

      for (int call = 0; call < CALLS; call++) {
        permits.acquire();
        client.setData(
            "/all",
            new byte[] {(byte) call},
            -1,
            (code, path, context, stat) -> {
              failures.addAndGet(code == 0 ? 0 : 1);
              permits.release();
            },
            null);
        if (call % 7 == 0) {
          permits.acquire(2);
          permits.release(2);
          client.setData("/pair", new byte[] {(byte) call}, call / 7);
        }
        if (call == CALLS / 2) {
          client.create("/pair/e", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
        }
      }
      assertThat(permits.tryAcquire(3, 60, TimeUnit.SECONDS)).isTrue();

      assertThat(failures).hasValue(0);
      assertThat(base(deployment, InstanceSet.first(3))).isGreaterThanOrEqualTo(1L << 31);
      assertThat(base(deployment, InstanceSet.first(2))).isGreaterThanOrEqualTo(1L << 31);
      for (int instance = 0; instance < 3; instance++) {
        assertThat(Objects.requireNonNull(deployment.node(instance, "/all")).stat.getVersion())
            .isEqualTo(CALLS);
      }
      leader.close();
      try (CommandExecutor next = execute(deployment)) {
        assertThat(client.setData("/all", null, CALLS).getVersion()).isEqualTo(CALLS + 1);
        client.delete("/pair/e", -1);
        client.create("/top", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        client.delete("/pair", -1); // Pauses the queue of the smaller set.
        assertThat(client.exists("/pair", false)).isNull();
      }
    }
  }

  @Test
  void aMoveIsReportedBesideAReportOfTheFormerZnodeThatNoProcessHasFetched() throws Exception {
    InstanceSet both = InstanceSet.first(2);
    String queue = ZooFencePaths.queue(both);
    try (var deployment = new TestDeployment(directory, 2, "/moves 1");
        CommandExecutor leader = execute(deployment);
        ZooKeeper admin =
            TestDeployment.client(
                deployment.deployment().admin().connectString(), 20_000, event -> {});
        ZooKeeper client = TestDeployment.client(deployment.serve(false))) {
      admin.create(queue, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
      String first =
          admin.create(
              queue + "/c-",
              QueueCommand.move("/moves", "2", List.of()).bytes(),
              Ids.OPEN_ACL_UNSAFE,
              CreateMode.PERSISTENT_SEQUENTIAL);
      await("the move ends").atMost(60, TimeUnit.SECONDS).until(() -> isAbsent(deployment, first));
      client.create("/all", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
      var stat = new Stat();
      while (admin.getData(queue, false, stat).length == 0 && stat.getCversion() / 2 <= ROLL_AT) {
        client.setData("/all", null, -1); // No command may follow the one that rolls the queue.
      }
      await("the znode of the queue is replaced")
          .atMost(60, TimeUnit.SECONDS)
          .until(() -> base(deployment, both) > 0);

      var mover = new SubtreeMover(deployment.deployment(), TestDeployment.PATIENCE);
      assertThat(mover.move("/moves", "1", List.of(), Duration.ofSeconds(60)).holders("/moves"))
          .isEqualTo(InstanceSet.of(0));

      assertThat(admin.exists(queue, false).getCversion())
          .as("the name of the first move occurred again, and its command is removed")
          .isEqualTo(2);
      assertThat(admin.getChildren(ZooFencePaths.MOVES, false))
          .as("the report of the first move")
          .hasSize(1);
      assertThat(leader.queueCounts().stopped()).isZero();
    }
  }

  private static boolean isAbsent(TestDeployment deployment, String path) {
    return deployment.node(0, path) == null;
  }

  @Test
  void aZnodeThatNoLeaderMayReadDoesNotPreventIt() throws Exception {
    InstanceSet both = InstanceSet.first(2);
    try (var deployment = new TestDeployment(directory, 2, "");
        CommandExecutor leader = execute(deployment);
        ZooKeeper client = TestDeployment.client(deployment.serve(false));
        ZooKeeper stranger =
            TestDeployment.client(
                deployment.deployment().admin().connectString(), 20_000, event -> {})) {
      client.create("/all", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
      stranger.addAuthInfo("digest", "stranger:secret".getBytes());
      stranger.create(
          ZooFencePaths.queue(both) + "/c-",
          null,
          Ids.CREATOR_ALL_ACL,
          CreateMode.PERSISTENT_SEQUENTIAL);

      await("the znode of the queue is replaced")
          .atMost(60, TimeUnit.SECONDS)
          .until(() -> client.setData("/all", null, -1) != null && base(deployment, both) > 0);
      assertThat(leader.queueCounts().stopped()).isZero();
    }
  }

  @Test
  void aQueueWhoseCounterIsAboutToEndContinues() throws Exception {
    try (var deployment = new TestDeployment(directory, 2, "");
        ZooKeeper client = TestDeployment.client(deployment.serve(true))) {
      client.create("/all", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
      String queue = ZooFencePaths.queue(InstanceSet.first(2));
      Objects.requireNonNull(deployment.node(0, queue), queue)
          .stat
          .setCversion(Integer.MAX_VALUE - 20);

      var failures = new AtomicInteger();
      var answered = new CountDownLatch(40);
      for (int call = 0; call < 40; call++) {
        if (call == 3) {
          client.setData("/all", null, -1);
          await("the queue is empty, and its znode is replaced")
              .atMost(60, TimeUnit.SECONDS)
              .until(() -> base(deployment, InstanceSet.first(2)) > 0);
        }
        client.setData(
            "/all",
            null,
            -1,
            (code, path, context, stat) -> {
              failures.addAndGet(code == 0 ? 0 : 1);
              answered.countDown();
            },
            null);
      }
      assertThat(answered.await(60, TimeUnit.SECONDS)).isTrue();

      assertThat(failures).hasValue(0);
      assertThat(client.setData("/all", null, 41).getVersion()).isEqualTo(42);
    }
  }
}
