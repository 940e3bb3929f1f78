package io.ensemble.zoofence.session.instance;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.zoofence.RawClient;
import io.ensemble.zoofence.TestDeployment;
import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.proxy.ProxyNode;
import io.ensemble.zoofence.session.routing.ReadPreference;
import io.ensemble.zoofence.wire.ZooKeeperReply;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.proto.CreateRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Closing a session succeeds only if all its ephemeral znodes are gone. */
@Timeout(90)
final class SessionCloserIT {
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final int TIMEOUT_MILLIS = 20_000;

  @TempDir Path directory;

  private TestDeployment deployment;
  private ProxyNode executor;

  @BeforeEach
  void start() throws Exception {
    deployment = new TestDeployment(directory, 2, "/one 2");
    executor = deployment.serve(true);
  }

  @AfterEach
  void stop() {
    deployment.close();
  }

  private static void own(RawClient client) throws Exception {
    int mode = CreateMode.EPHEMERAL.toFlag();
    client.send(
        ZooKeeperRequest.of(
                OpCode.create, new CreateRequest("/mine", new byte[0], Ids.OPEN_ACL_UNSAFE, mode))
            .numbered(1));
    assertThat(client.read()).matches(ZooKeeperReply::succeeded);
  }

  private static ZooKeeperReply closed(RawClient client) throws Exception {
    client.send(ZooKeeperRequest.bare(OpCode.closeSession).numbered(2));
    return client.read();
  }

  @Test
  void whatIsGoneAtAllIsToldSo() throws Exception {
    try (var client = new RawClient(executor.address().getPort(), TIMEOUT_MILLIS)) {
      own(client);

      assertThat(closed(client)).matches(ZooKeeperReply::succeeded);
      assertThat(deployment.node(1, "/mine")).isNull();
    }
  }

  @Test
  void whatNobodyRemovedFromTheQueueIsNotToldToBeGone() throws Exception {
    var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (ProxyNode proxy =
            ProxyNode.serve(
                deployment.deployment(), address, false, PATIENCE, ReadPreference.CANONICAL);
        var client = new RawClient(proxy.address().getPort(), TIMEOUT_MILLIS)) {
      own(client);
      executor.close();

      assertThat(closed(client)).matches(reply -> reply.failedWith(Code.OPERATIONTIMEOUT));
      assertThat(deployment.node(1, "/mine")).isNotNull();
    }
  }

  @Test
  void whatCannotBeListedIsNotToldToBeGone() throws Exception {
    try (var client = new RawClient(executor.address().getPort(), TIMEOUT_MILLIS);
        ZooKeeper admin =
            TestDeployment.client(
                deployment.deployment().admin().connectString(), 10_000, event -> {})) {
      own(client);
      String records = ZooFencePaths.EPHEMERALS + "/" + ZooFencePaths.hex(client.session());
      // ZooKeeper's client calls contains(null), which an immutable list does not support.
      admin.setACL(
          records, new ArrayList<>(List.of(new ACL(Perms.ADMIN, Ids.ANYONE_ID_UNSAFE))), -1);

      assertThat(closed(client)).matches(reply -> reply.failedWith(Code.OPERATIONTIMEOUT));
    }
  }
}
