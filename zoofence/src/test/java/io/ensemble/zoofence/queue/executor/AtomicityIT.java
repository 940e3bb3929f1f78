package io.ensemble.zoofence.queue.executor;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.zoofence.TestDeployment;
import io.ensemble.zoofence.proxy.ProxyNode;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands with different operations at several instances are atomic, also for readers. */
final class AtomicityIT {
  @TempDir Path directory;

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final AtomicBoolean over = new AtomicBoolean();
  private TestDeployment deployment;
  private ProxyNode node;

  @BeforeEach
  void start() throws Exception {
    deployment = new TestDeployment(directory, 2, "/a 1;/b 2");
    node = deployment.serve(true);
    try (ZooKeeper client = TestDeployment.client(node)) {
      for (String path : List.of("/a", "/b", "/a/x", "/b/x")) {
        client.create(path, new byte[] {0}, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
      }
    }
  }

  @AfterEach
  void stop() throws Exception {
    over.set(true);
    threads.shutdown();
    assertThat(threads.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    deployment.close();
  }

  @Test
  void nobodySeesHalfOfATransactionAcrossInstances() throws Exception {
    Future<Integer> forwards = threads.submit(reader("/a/x", "/b/x"));
    Future<Integer> backwards = threads.submit(reader("/b/x", "/a/x"));

    try (ZooKeeper client = TestDeployment.client(node)) {
      for (int value = 1; value <= 60; value++) {
        byte[] data = {(byte) value};
        client.multi(List.of(Op.setData("/a/x", data, -1), Op.setData("/b/x", data, -1)));
      }
    }
    over.set(true);

    assertThat(forwards.get(60, TimeUnit.SECONDS)).isPositive();
    assertThat(backwards.get(60, TimeUnit.SECONDS)).isPositive();
  }

  @Test
  void aCommandBehindATransactionAcrossInstancesSeesTheOwnersOfItsZnodes() throws Exception {
    try (ZooKeeper client = TestDeployment.client(node)) {
      client.create("/s", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
      for (int round = 0; round < 5; round++) {
        String path = "/s/e" + round;
        var below = new CompletableFuture<Integer>();
        client.multi(
            List.of(
                Op.create(path, null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL),
                Op.setData("/a/x", null, -1)),
            (code, of, context, results) -> {},
            null);
        client.create(
            path + "/below",
            null,
            Ids.OPEN_ACL_UNSAFE,
            CreateMode.PERSISTENT,
            (code, of, context, name) -> below.complete(code),
            null);

        assertThat(below.get(60, TimeUnit.SECONDS))
            .isEqualTo(KeeperException.Code.NOCHILDRENFOREPHEMERALS.intValue());
      }
    }
  }

  /** The second read is never older than the first, as with one server. */
  private Callable<Integer> reader(String first, String second) {
    return () -> {
      int reads = 0;
      try (ZooKeeper client = TestDeployment.client(node)) {
        while (!over.get()) {
          int before = client.getData(first, false, null)[0];
          int after = client.getData(second, false, null)[0];
          assertThat(after).as(second + " after " + first).isGreaterThanOrEqualTo(before);
          reads++;
        }
      }
      return reads;
    };
  }

  @Test
  void aDirectWriteNeitherGetsLostNorMakesInstancesDiffer() throws Exception {
    var set = new AtomicInteger();
    var removed = new AtomicInteger();
    Future<Integer> direct =
        threads.submit(
            () -> {
              try (ZooKeeper client = TestDeployment.client(node)) {
                while (!over.get()) {
                  client.setData("/a/x", new byte[] {1}, -1);
                  set.incrementAndGet();
                }
              }
              return set.get();
            });
    Future<Integer> children = threads.submit(() -> churn(removed));

    try (ZooKeeper client = TestDeployment.client(node)) {
      for (int round = 0; round < 40; round++) {
        client.multi(
            List.of(
                Op.setData("/a/x", new byte[] {2}, -1), Op.setData("/b/x", new byte[] {2}, -1)));
        set.incrementAndGet();
        try {
          client.delete("/b", -1);
        } catch (KeeperException.NotEmptyException full) {
          // Expected: /b/x exists.
        }
      }
    }
    over.set(true);
    direct.get(60, TimeUnit.SECONDS);
    children.get(60, TimeUnit.SECONDS);

    assertThat(deployment.node(0, "/a/x").stat.getVersion()).isEqualTo(set.get());
    assertThat(deployment.node(1, "/b/x").stat.getVersion()).isEqualTo(40);
    assertThat(removed).hasPositiveValue();
  }

  /** Creates and deletes a child of the znode that another client tries to delete. */
  private int churn(AtomicInteger removed) throws Exception {
    try (ZooKeeper client = TestDeployment.client(node)) {
      while (!over.get()) {
        client.create("/b/y", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        client.delete("/b/y", -1);
        removed.incrementAndGet();
      }
    }
    return removed.get();
  }
}
