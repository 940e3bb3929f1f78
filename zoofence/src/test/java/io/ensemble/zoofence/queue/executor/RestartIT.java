package io.ensemble.zoofence.queue.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.zoofence.TestDeployment;
import io.ensemble.zoofence.embedded.EmbeddedInstance;
import io.ensemble.zoofence.proxy.ProxyNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An instance restarts under load: commands lost in flight to it are executed there, too. */
final class RestartIT {
  private static final int RESTARTS = 4;
  private static final int UNDER_WAY = 40;

  @TempDir Path directory;

  @Test
  void theQueueGoesOnAndAllInstancesHoldTheSame() throws Exception {
    try (var deployment = new TestDeployment(directory, 3, "/one 1")) {
      ProxyNode node = deployment.serve(true);
      EmbeddedInstance restarted = deployment.instances().get(2);
      var counted = new AtomicInteger();
      var permits = new Semaphore(UNDER_WAY);
      var over = new AtomicBoolean();
      try (ZooKeeper client = TestDeployment.client(node)) {
        client.create("/counter", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);

        CompletableFuture<Void> load =
            CompletableFuture.runAsync(
                () -> count(client, permits, counted, over),
                work -> new Thread(work, "load").start());
        List<AutoCloseable> last = new ArrayList<>(List.of(restarted));
        for (int i = 0; i < RESTARTS; i++) {
          goesOn(counted);
          last.remove(0).close();
          last.add(EmbeddedInstance.start(directory.resolve("instance2"), restarted.port()));
        }
        goesOn(counted);
        over.set(true);
        load.get(60, TimeUnit.SECONDS);
        assertThat(permits.tryAcquire(UNDER_WAY, 60, TimeUnit.SECONDS)).isTrue();

        int changes = client.exists("/counter", false).getVersion();
        try (var back = (EmbeddedInstance) last.get(0)) {
          var there = back.server().getZKDatabase().getNode("/counter");
          assertThat(there.stat.getVersion()).isEqualTo(changes);
          assertThat(changes).isGreaterThanOrEqualTo(counted.get());
        }
      }
    }
  }

  private static void count(
      ZooKeeper client, Semaphore permits, AtomicInteger counted, AtomicBoolean over) {
    while (!over.get()) {
      permits.acquireUninterruptibly();
      client.setData(
          "/counter",
          new byte[8],
          -1,
          (code, path, context, stat) -> {
            if (code == 0) {
              counted.incrementAndGet();
            }
            permits.release();
          },
          null);
    }
  }

  private static void goesOn(AtomicInteger counted) {
    int before = counted.get();
    await("changes are made")
        .pollInterval(20, TimeUnit.MILLISECONDS)
        .atMost(100, TimeUnit.SECONDS)
        .until(() -> counted.get() >= before + 100);
  }
}
