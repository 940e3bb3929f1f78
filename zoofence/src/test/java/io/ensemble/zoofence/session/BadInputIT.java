package io.ensemble.zoofence.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ensemble.zoofence.TestDeployment;
import io.ensemble.zoofence.proxy.ProxyNode;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Invalid requests fail as on one ZooKeeper, on paths of one instance and of several. */
final class BadInputIT {
  @TempDir Path directory;

  private TestDeployment deployment;
  private ProxyNode node;
  private ZooKeeper client;

  @BeforeEach
  void start() throws Exception {
    deployment = new TestDeployment(directory, 2, "/one 2");
    node = deployment.serve(true);
    client = TestDeployment.client(node);
    create("/one", CreateMode.PERSISTENT);
    create("/all", CreateMode.PERSISTENT);
  }

  @AfterEach
  void stop() throws Exception {
    client.close();
    deployment.close();
  }

  private void create(String path, CreateMode mode) throws Exception {
    client.create(path, null, Ids.OPEN_ACL_UNSAFE, mode);
  }

  private interface Call {
    Object run() throws Exception;
  }

  private static void fails(Code why, Call call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(KeeperException.class, e -> assertThat(e.code()).isEqualTo(why));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/one", "/all"})
  void anOversizedZnodeBreaksTheConnectionAndNotTheSession(String path) throws Exception {
    long session = client.getSessionId();
    create(path + "/mine", CreateMode.EPHEMERAL);
    try (ZooKeeper plain =
        TestDeployment.client(
            deployment.deployment().instances().get(1).connectString(), 10_000, event -> {})) {
      fails(Code.CONNECTIONLOSS, () -> plain.setData("/one", new byte[2 << 20], -1));
    }

    fails(Code.CONNECTIONLOSS, () -> client.setData(path, new byte[2 << 20], -1));

    assertThat(again(path).getVersion()).isZero();
    assertThat(client.exists(path + "/mine", false).getEphemeralOwner()).isEqualTo(session);
  }

  /** Reads once the client is connected again. */
  private org.apache.zookeeper.data.Stat again(String path) throws Exception {
    return await("the client is connected again")
        .pollInterval(20, TimeUnit.MILLISECONDS)
        .atMost(100, TimeUnit.SECONDS)
        .ignoreExceptionsInstanceOf(KeeperException.ConnectionLossException.class)
        .until(() -> client.exists(path, false), Objects::nonNull);
  }

  @Test
  void whatDoesNotFitWithWhatIsAddedIsRefusedAlone() throws Exception {
    fails(Code.MARSHALLINGERROR, () -> client.setData("/all", new byte[0xfffff - 100], -1));
    fails(Code.MARSHALLINGERROR, () -> client.setData("/one", new byte[0xfffff - 60], -1));

    assertThat(client.setData("/one", new byte[0xfffff - 110], -1).getVersion()).isEqualTo(1);
    assertThat(client.setData("/all", new byte[0xfffff - 5_000], -1).getVersion()).isEqualTo(1);
    assertThat(client.getData("/all", false, null)).hasSize(0xfffff - 5_000);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/one", "/all"})
  void aBadAccessListIsInvalid(String path) throws Exception {
    List<ACL> nobody = List.of();

    fails(Code.INVALIDACL, () -> client.create(path + "/x", null, nobody, CreateMode.PERSISTENT));
    fails(
        Code.INVALIDACL,
        () -> client.create(path + "/x", null, Ids.CREATOR_ALL_ACL, CreateMode.PERSISTENT));
    fails(Code.INVALIDACL, () -> client.setACL(path, Ids.CREATOR_ALL_ACL, -1));

    assertThat(client.exists(path + "/x", false)).isNull();
    assertThat(client.exists(path, false).getAversion()).isZero();
  }

  @Test
  void anExpiredSessionIsNotTakenUpAgain() throws Exception {
    var ended = TestDeployment.client(node);
    long session = ended.getSessionId();
    byte[] password = ended.getSessionPasswd();
    ended.close();

    reused(session, password);
    reused(client.getSessionId(), new byte[16]);

    assertThat(client.exists("/one", false)).as("another's session goes on").isNotNull();
  }

  private void reused(long session, byte[] password) throws Exception {
    var expired = new CountDownLatch(1);
    try (var again =
        new ZooKeeper(
            TestDeployment.address(node),
            10_000,
            event -> {
              if (event.getState() == KeeperState.Expired) {
                expired.countDown();
              }
            },
            session,
            password)) {
      assertThat(expired.await(60, TimeUnit.SECONDS)).isTrue();
      fails(Code.SESSIONEXPIRED, () -> again.exists("/one", false));
    }
  }
}
