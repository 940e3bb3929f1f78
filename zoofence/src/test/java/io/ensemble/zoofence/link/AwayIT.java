package io.ensemble.zoofence.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.zoofence.TestDeployment;
import io.ensemble.zoofence.embedded.EmbeddedInstance;
import io.ensemble.zoofence.proxy.ProxyNode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.OperationTimeoutException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An ensemble that is away holds up a client for the patience once, not for each request. */
final class AwayIT {
  private static final Duration PATIENCE = Duration.ofSeconds(3);
  private static final Duration AT_ONCE = Duration.ofSeconds(2);

  /** Longer than the patience between two looks at what has waited too long. */
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
      Duration second = refused(client);
      client.setData("/near", new byte[1], -1);
      int port = far.port();
      try (EmbeddedInstance back = EmbeddedInstance.start(directory.resolve("instance2"), port)) {
        setSoon(client);
        client.close();

        assertThat(first).isBetween(PATIENCE.minusMillis(500), PATIENCE.plusSeconds(4));
        assertThat(second).isLessThan(AT_ONCE);
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

  private static void setSoon(ZooKeeper client) throws Exception {
    var never = new CountDownLatch(1);
    for (int tries = 0; ; tries++) {
      try {
        client.setData("/far", new byte[1], -1);
        return;
      } catch (OperationTimeoutException e) {
        assertThat(tries).as("it is back").isLessThan(200);
        assertThat(never.await(50, TimeUnit.MILLISECONDS)).isFalse();
      }
    }
  }
}
