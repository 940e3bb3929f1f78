package io.ensemble.zoofence.queue.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.zoofence.TestDeployment;
import io.ensemble.zoofence.proxy.ProxyNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A client cannot block a queue by a sequential znode below one that others may not read. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
final class UnreadableParentIT {
  @TempDir Path directory;

  private TestDeployment deployment;
  private ZooKeeper client;
  private ZooKeeper other;

  @BeforeEach
  void start() throws Exception {
    deployment = new TestDeployment(directory, 2, "");
    ProxyNode node = deployment.serve(true);
    client = TestDeployment.client(node);
    other = TestDeployment.client(node);
    other.create("/open", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
  }

  @AfterEach
  void stop() throws Exception {
    other.close();
    client.close();
    deployment.close();
  }

  @Test
  void theOwnerGetsANumberAndOthersWriteOn() throws Exception {
    client.addAuthInfo("digest", "owner:secret".getBytes());
    client.create("/closed", null, Ids.CREATOR_ALL_ACL, CreateMode.PERSISTENT);

    String first =
        client.create("/closed/n-", null, Ids.CREATOR_ALL_ACL, CreateMode.EPHEMERAL_SEQUENTIAL);
    String second =
        client.create("/closed/n-", null, Ids.CREATOR_ALL_ACL, CreateMode.EPHEMERAL_SEQUENTIAL);

    assertThat(List.of(first, second))
        .containsExactly("/closed/n-0000000000", "/closed/n-0000000001");
    assertThat(other.setData("/open", null, 0).getVersion()).isEqualTo(1);
  }

  @Test
  void whoMayNotReadTheParentGetsNoNumberAndOthersWriteOn() throws Exception {
    List<ACL> createOnly =
        new ArrayList<>(List.of(new ACL(ZooDefs.Perms.CREATE, Ids.ANYONE_ID_UNSAFE)));
    client.create("/box", null, createOnly, CreateMode.PERSISTENT);

    assertThatThrownBy(
            () ->
                client.create(
                    "/box/n-", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT_SEQUENTIAL))
        .isInstanceOf(KeeperException.NoAuthException.class);
    assertThatThrownBy(
            () ->
                client.multi(
                    List.of(
                        Op.setData("/open", null, 0),
                        Op.create(
                            "/box/n-",
                            null,
                            Ids.OPEN_ACL_UNSAFE,
                            CreateMode.PERSISTENT_SEQUENTIAL))))
        .isInstanceOf(KeeperException.NoAuthException.class);

    assertThat(client.create("/box/n", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT))
        .isEqualTo("/box/n");
    assertThat(other.setData("/open", null, 0).getVersion()).isEqualTo(1);
  }
}
