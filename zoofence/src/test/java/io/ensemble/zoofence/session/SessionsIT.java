package io.ensemble.zoofence.session;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ensemble.zoofence.RawClient;
import io.ensemble.zoofence.TestDeployment;
import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.embedded.EmbeddedInstance;
import io.ensemble.zoofence.proxy.ProxyNode;
import io.ensemble.zoofence.wire.ZooKeeperReply;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.proto.GetDataRequest;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sessions that begin, move to another proxy, and end without being closed. */
final class SessionsIT {
  @TempDir Path directory;

  private TestDeployment deployment;
  private ProxyNode executor;

  @BeforeEach
  void start() throws Exception {
    deployment = new TestDeployment(directory, 2, "/one 2");
    executor = deployment.serve(true);
    try (ZooKeeper client = TestDeployment.client(executor)) {
      client.create("/one", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
      client.create("/all", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    }
  }

  @AfterEach
  void stop() {
    deployment.close();
  }

  private static ConditionFactory awaiting(String what) {
    return await(what).pollInterval(20, TimeUnit.MILLISECONDS).atMost(100, TimeUnit.SECONDS);
  }

  @Test
  void whatASessionOwnedGoesWhenItEndsWithoutAWord() throws Exception {
    ProxyNode dies = deployment.serve(false);
    ZooKeeper client = TestDeployment.client(TestDeployment.address(dies), 10_000, event -> {});
    long session = client.getSessionId();
    client.create("/one/mine", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
    client.create("/all/mine", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
    client.create("/all/stays", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);

    dies.close();

    awaiting("ephemeral at one instance").until(() -> deployment.node(1, "/one/mine") == null);
    for (int instance = 0; instance < 2; instance++) {
      int here = instance;
      awaiting("ephemeral at all").until(() -> deployment.node(here, "/all/mine") == null);
      assertThat(deployment.node(here, "/all/stays")).isNotNull();
    }
    String hex = ZooFencePaths.hex(session);
    awaiting("its records")
        .until(() -> deployment.node(0, ZooFencePaths.SESSIONS + "/" + hex) == null);
    awaiting("its records")
        .until(() -> deployment.node(0, ZooFencePaths.EPHEMERALS + "/" + hex) == null);
    client.close(1);
  }

  @Test
  void outcomesThatWereReadAreDeletedTogetherAndAtTheLatestWithTheSession() throws Exception {
    ZooKeeper client = TestDeployment.client(executor);
    String mailbox = ZooFencePaths.SESSIONS + "/" + ZooFencePaths.hex(client.getSessionId());
    for (int version = 0; version < 50; version++) {
      client.setData("/all", null, version);
    }

    assertThat(requireNonNull(deployment.node(0, mailbox)).getChildren())
        .as("outcomes of 50 commands")
        .hasSizeLessThan(40);
    client.close();
    awaiting("the record of the session").until(() -> deployment.node(0, mailbox) == null);
  }

  @Test
  void aClientGoesOnThroughAnotherProxyWithWhatItOwnsAndWatches() throws Exception {
    ProxyNode dies = deployment.serve(false);
    ProxyNode stays = deployment.serve(false);
    var events = new LinkedBlockingQueue<WatchedEvent>();
    String both = TestDeployment.address(dies) + "," + TestDeployment.address(stays);
    try (ZooKeeper client = TestDeployment.client(both, 20_000, events::add);
        ZooKeeper other = TestDeployment.client(executor)) {
      long session = client.getSessionId();
      client.create("/one/mine", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
      client.create("/all/mine", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
      var told = new LinkedBlockingQueue<WatchedEvent>();
      client.exists("/one/later", told::add);
      client.exists("/all/later", told::add);

      // The client is connected to the other proxy then, whichever it used before.
      dies.close();
      other.create("/one/later", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
      other.create("/all/later", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);

      assertThat(told.poll(30, TimeUnit.SECONDS)).isNotNull();
      assertThat(told.poll(30, TimeUnit.SECONDS)).isNotNull();
      assertThat(client.getSessionId()).isEqualTo(session);
      assertThat(client.exists("/one/mine", false).getEphemeralOwner()).isEqualTo(session);
      assertThat(client.exists("/all/mine", false).getEphemeralOwner()).isEqualTo(session);
      assertThat(events).noneMatch(event -> event.getState() == KeeperState.Expired);
    }
  }

  @Test
  void aSessionIsClosedWhenEachOfItsInstancesHasSaidSo() throws Exception {
    ZooKeeper client = TestDeployment.client(executor);
    client.create("/one/mine", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
    int port = deployment.instances().get(1).port();
    deployment.instances().get(1).close();
    var closed = new java.util.concurrent.CountDownLatch(1);
    var closing =
        new Thread(
            () -> {
              try {
                client.close();
                closed.countDown();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    closing.start();

    assertThat(closed.await(500, TimeUnit.MILLISECONDS)).as("nobody knows").isFalse();
    deployment.instances().set(1, EmbeddedInstance.start(directory.resolve("instance1"), port));

    assertThat(closed.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(deployment.node(1, "/one/mine")).isNull();
  }

  @Test
  void anOwnerThatCannotBeAskedForIsNotMadeUp() throws Exception {
    try (ZooKeeper client = TestDeployment.client(executor);
        ZooKeeper other = TestDeployment.client(executor);
        ZooKeeper instance =
            TestDeployment.client(
                deployment.deployment().instances().get(1).connectString(), 10_000, event -> {})) {
      client.create("/one/mine", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
      long there = deployment.node(1, "/one/mine").stat.getEphemeralOwner();
      String record = ZooFencePaths.OWNERS + "/" + ZooFencePaths.hex(there);
      // ZooKeeper's client calls contains(null), which an immutable list does not support.
      var unreadable = new ArrayList<>(List.of(new ACL(Perms.ADMIN, Ids.ANYONE_ID_UNSAFE)));
      instance.setACL(record, unreadable, -1);

      assertThatThrownBy(() -> other.exists("/one/mine", false))
          .isInstanceOf(KeeperException.ConnectionLossException.class);
      instance.setACL(record, Ids.OPEN_ACL_UNSAFE, -1);

      assertThat(other.exists("/one/mine", false).getEphemeralOwner())
          .isEqualTo(client.getSessionId());
    }
  }

  @Test
  void theEndAtOneInstanceIsTheEndEverywhere() throws Exception {
    var events = new LinkedBlockingQueue<WatchedEvent>();
    try (ZooKeeper client =
        TestDeployment.client(TestDeployment.address(executor), 20_000, events::add)) {
      client.create("/one/mine", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
      client.create("/all/mine", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
      long there = deployment.node(1, "/one/mine").stat.getEphemeralOwner();

      deployment.instances().get(1).server().closeSession(there);

      awaiting("the client hears of it")
          .until(() -> events.stream().anyMatch(event -> event.getState() == KeeperState.Expired));
      awaiting("what all hold goes").until(() -> deployment.node(0, "/all/mine") == null);
      assertThatThrownBy(() -> client.exists("/one", false))
          .isInstanceOf(KeeperException.SessionExpiredException.class);
    }
  }

  @Test
  void aSessionIsAtTheConnectionThatAskedForItLast() throws Exception {
    for (ProxyNode next : List.of(executor, deployment.serve(false))) {
      try (var left = new RawClient(executor.address().getPort(), 6000)) {
        left.send(
            ZooKeeperRequest.of(OpCode.getData, new GetDataRequest("/one", false)).numbered(1));
        assertThat(left.read()).matches(ZooKeeperReply::succeeded);
        try (var client =
            new ZooKeeper(
                TestDeployment.address(next), 6000, event -> {}, left.session(), left.password())) {

          int answered = 0;
          int lost = 0;
          // The former connection sends pings until the proxy closes it.
          long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
          while (ping(left)) {
            assertThat(System.nanoTime() - until).as("it still has its connection").isNegative();
            try {
              client.getData("/one", false, null);
              answered++;
            } catch (KeeperException.ConnectionLossException e) {
              lost++;
            }
          }

          if (next == executor) {
            assertThat(isAnswered(client)).as("through the same process").isTrue();
            assertThat(lost).as("of " + answered + " through the same process").isZero();
          }
          // Another node may have to reconnect to the instances first.
          awaiting("it is answered").until(() -> isAnswered(client));
          assertThat(client.getSessionId()).isEqualTo(left.session());
        }
      }
    }
  }

  private static boolean isAnswered(ZooKeeper client) {
    try {
      return client.exists("/one", false) != null;
    } catch (KeeperException.ConnectionLossException e) {
      return false;
    } catch (KeeperException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Whether the connection of a client that only sends pings is still open. */
  private static boolean ping(RawClient client) throws IOException {
    try {
      client.send(ZooKeeperRequest.bare(OpCode.ping).numbered(ZooKeeperRequest.PING_XID));
      return client.read() != null;
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void sessionsThatBeginWhileOthersEndAreNotTakenForDead() throws Exception {
    for (int round = 0; round < 40; round++) {
      try (ZooKeeper client = TestDeployment.client(executor)) {
        String made =
            client.create("/all/s-", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL_SEQUENTIAL);
        assertThat(client.exists(made, false)).as("round " + round).isNotNull();
      }
    }
  }

  @Test
  void anEventComesBeforeTheReplyThatShowsItsChange() throws Exception {
    try (ZooKeeper client = TestDeployment.client(executor)) {
      for (int round = 0; round < 50; round++) {
        var seen = new LinkedBlockingQueue<String>();
        var done = new java.util.concurrent.CountDownLatch(1);
        client.create("/all/x", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        client.exists("/all/x", event -> seen.add("event " + event.getType()));
        client.delete(
            "/all/x",
            -1,
            (code, path, context) -> {
              seen.add("reply " + code);
              done.countDown();
            },
            null);
        assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(seen).containsExactly("event " + EventType.NodeDeleted, "reply 0");
      }
    }
  }
}
