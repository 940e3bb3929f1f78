package io.ensemble.zoofence.session;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ensemble.zoofence.RawClient;
import io.ensemble.zoofence.TestDeployment;
import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.deployment.Deployment;
import io.ensemble.zoofence.deployment.DeploymentException;
import io.ensemble.zoofence.deployment.SubtreeMover;
import io.ensemble.zoofence.embedded.EmbeddedInstance;
import io.ensemble.zoofence.link.InstanceServers;
import io.ensemble.zoofence.proxy.ProxyNode;
import io.ensemble.zoofence.queue.AdminAccess;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.NoAuthException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ClientInfo;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Znodes with credentials of clients are read by the processes of the deployment only. */
final class AdminAccessIT {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final AdminAccess ACCESS = AdminAccess.digest("fence:secret");

  @TempDir Path directory;

  private final List<EmbeddedInstance> instances = new ArrayList<>();
  private final List<InstanceServers> servers = new ArrayList<>();

  @BeforeEach
  void start() throws Exception {
    for (int i = 0; i < 2; i++) {
      instances.add(EmbeddedInstance.start(Files.createDirectory(directory.resolve("i" + i)), 0));
      servers.add(instances.get(i).servers(Integer.toString(i + 1)));
    }
  }

  @AfterEach
  void stop() {
    instances.forEach(EmbeddedInstance::close);
  }

  private Deployment join(AdminAccess access) throws InterruptedException {
    return Deployment.join(servers, servers.get(0), "/one 2", PATIENCE, access);
  }

  private static ProxyNode serve(Deployment deployment, boolean execute)
      throws InterruptedException {
    var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    return ProxyNode.serve(deployment, address, execute, PATIENCE);
  }

  private ZooKeeper stranger() throws Exception {
    return TestDeployment.client("127.0.0.1:" + instances.get(0).port(), 10_000, event -> {});
  }

  private static void assertUnreadable(ZooKeeper stranger, String path) {
    assertThatThrownBy(() -> stranger.getData(path, false, null))
        .as(path)
        .isInstanceOf(NoAuthException.class);
  }

  @Test
  void whatHoldsCredentialsIsUnreadableForOthers() throws Exception {
    Deployment deployment = join(ACCESS);
    try (ProxyNode proxy = serve(deployment, false);
        ZooKeeper client = TestDeployment.client(proxy);
        ZooKeeper stranger = stranger()) {
      String session = ZooFencePaths.hex(client.getSessionId());
      client.addAuthInfo("digest", "client:password".getBytes(UTF_8));
      client.create(
          "/mine",
          null,
          Ids.CREATOR_ALL_ACL,
          CreateMode.EPHEMERAL,
          (code, path, context, name) -> {},
          null);
      String queue = ZooFencePaths.QUEUES + "/3";
      await("the command is in its queue")
          .atMost(60, TimeUnit.SECONDS)
          .until(
              () ->
                  stranger.exists(queue, false) != null
                      && !stranger.getChildren(queue, false).isEmpty());
      assertUnreadable(stranger, queue + "/" + stranger.getChildren(queue, false).get(0));
      assertUnreadable(stranger, ZooFencePaths.SESSIONS + "/" + session);

      try (ProxyNode executor = serve(deployment, true)) {
        assertThat(executor.deployment().access()).isEqualTo(ACCESS);
        await("the command is carried out")
            .atMost(60, TimeUnit.SECONDS)
            .until(() -> client.exists("/mine", false) != null);
        String records = ZooFencePaths.EPHEMERALS + "/" + session;
        assertUnreadable(stranger, records + "/" + stranger.getChildren(records, false).get(0));

        // The end of the session: its znode is removed with the credentials in the record.
        instances.get(0).server().closeSession(client.getSessionId());
        await("the znode goes with its session")
            .atMost(60, TimeUnit.SECONDS)
            .until(() -> instances.get(1).server().getZKDatabase().getNode("/mine") == null);
      }
    }
  }

  /** A client at one proxy, with a session that has begun at another one. */
  private static ZooKeeper continued(ProxyNode begunAt, ProxyNode proxy) throws Exception {
    var begun = new RawClient(begunAt.address().getPort(), 10_000);
    begun.close();
    return new ZooKeeper(
        TestDeployment.address(proxy), 10_000, event -> {}, begun.session(), begun.password());
  }

  @Test
  void aSessionGoesOnThroughAnotherProcessAndASubtreeMoves() throws Exception {
    Deployment deployment = join(ACCESS);
    try (ProxyNode first = serve(deployment, true);
        ProxyNode second = serve(deployment, false);
        ZooKeeper client = continued(first, second)) {
      client.addAuthInfo("digest", "client:password".getBytes(UTF_8));
      client.create("/one", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
      client.create("/one/mine", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
      assertThat(client.exists("/one/mine", false).getEphemeralOwner())
          .isEqualTo(client.getSessionId());
      assertThat(client.whoAmI())
          .extracting(ClientInfo::getUser)
          .contains("client")
          .doesNotContain("fence");
      client.delete("/one/mine", -1);

      new SubtreeMover(deployment, PATIENCE).move("/one", "1", List.of(), PATIENCE);

      assertThat(client.exists("/one", false)).isNotNull();
    }
  }

  @Test
  void everyProcessNeedsTheAccessWithWhichTheDeploymentWasFounded() throws Exception {
    join(ACCESS);

    for (AdminAccess other : List.of(AdminAccess.OPEN, AdminAccess.digest("fence:other"))) {
      assertThatThrownBy(() -> join(other))
          .isInstanceOf(DeploymentException.class)
          .hasMessageContaining("credential");
      assertThatThrownBy(() -> Deployment.openExisting(servers, servers.get(0), PATIENCE, other))
          .isInstanceOf(DeploymentException.class)
          .hasMessageContaining("credential");
    }
    assertThat(Deployment.openExisting(servers, servers.get(0), PATIENCE, ACCESS).access())
        .isEqualTo(ACCESS);
  }

  @Test
  void anOpenDeploymentIsNotJoinedWithACredential() throws Exception {
    join(AdminAccess.OPEN);

    assertThatThrownBy(() -> join(ACCESS))
        .isInstanceOf(DeploymentException.class)
        .hasMessageContaining("without a credential");
  }
}
