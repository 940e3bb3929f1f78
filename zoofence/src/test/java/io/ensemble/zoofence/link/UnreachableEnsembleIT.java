package io.ensemble.zoofence.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ensemble.zoofence.TestDeployment;
import io.ensemble.zoofence.embedded.EmbeddedInstance;
import io.ensemble.zoofence.proxy.ProxyNode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.OperationTimeoutException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An ensemble that is down delays a client by the patience once, not for each request. */
final class UnreachableEnsembleIT {
  private static final Duration PATIENCE = Duration.ofSeconds(3);
  private static final int LATER_REQUESTS = 20;

  /** The proxy looks for overdue requests each third of this time, longer than the patience. */
  private static final int TIMEOUT_MILLIS = 30_000;

  @TempDir Path directory;

  @Test
  void whatHasBeenAwayForThePatienceIsNotWaitedForAgain() throws Exception {
    try (var deployment = new TestDeployment(directory, 3, "/near 2;/far 3");
        ProxyNode proxy =
            ProxyNode.serve(
                deployment.deployment(),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                true,
                PATIENCE);
        ZooKeeper client =
            TestDeployment.client(TestDeployment.address(proxy), TIMEOUT_MILLIS, event -> {})) {
      for (String path : new String[] {"/near", "/far"}) {
        client.create(path, null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
      }
      EmbeddedInstance far = deployment.instances().get(2);
      far.close();

      Duration first = refused(client);
      Duration later = Duration.ZERO;
      for (int i = 0; i < LATER_REQUESTS; i++) {
        later = later.plus(refused(client));
      }
      client.setData("/near", new byte[1], -1);
      int port = far.port();
      try (EmbeddedInstance back = EmbeddedInstance.start(directory.resolve("instance2"), port)) {
        setSoon(client);
        client.close();

        assertThat(first).isGreaterThan(PATIENCE.minusMillis(500));
        // These would take a minute if each waited for the patience.
        assertThat(later).isLessThan(PATIENCE.multipliedBy(LATER_REQUESTS));
        assertThat(back.server().getZKDatabase().getNode("/far").getData()).hasSize(1);
      }
    }
  }

  private static Duration refused(ZooKeeper client) {
    long before = System.nanoTime();
    assertThatThrownBy(() -> client.setData("/far", new byte[1], -1))
        .isInstanceOf(OperationTimeoutException.class);
    return Duration.ofNanos(System.nanoTime() - before);
  }

  private static void setSoon(ZooKeeper client) {
    await("it is back")
        .pollInterval(50, TimeUnit.MILLISECONDS)
        .atMost(100, TimeUnit.SECONDS)
        .ignoreExceptionsInstanceOf(OperationTimeoutException.class)
        .until(() -> client.setData("/far", new byte[1], -1) != null);
  }
}
