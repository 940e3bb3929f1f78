package io.ensemble.zoofence.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ensemble.zoofence.RawClient;
import io.ensemble.zoofence.TestDeployment;
import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.proxy.ProxyNode;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.RetryNTimes;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.proto.CreateRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** No request of a session overtakes a command whose outcome its client does not know. */
final class EarlierCommandsIT {
  private static final Duration PATIENCE = Duration.ofSeconds(3);
  private static final int TIMEOUT_MILLIS = 9000;

  @TempDir Path directory;

  private TestDeployment deployment;
  private ProxyNode proxy;

  /** Afterwards no process executes commands. */
  @BeforeEach
  void start() throws Exception {
    deployment = new TestDeployment(directory, 2, "/one 2");
    try (ProxyNode executor = deployment.serve(true);
        ZooKeeper client = TestDeployment.client(executor)) {
      client.create("/one", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
      client.create("/all", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    }
    proxy = serve();
  }

  private ProxyNode serve() throws InterruptedException {
    var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    return ProxyNode.serve(deployment.deployment(), address, false, PATIENCE);
  }

  private ZooKeeper client() throws Exception {
    return TestDeployment.client(TestDeployment.address(proxy), TIMEOUT_MILLIS, event -> {});
  }

  /** Sends a command, and returns when the client has lost its connection and has another one. */
  private static void loseCommand(ZooKeeper client, CreateMode mode) {
    assertThatThrownBy(() -> client.create("/all/mine", null, Ids.OPEN_ACL_UNSAFE, mode))
        .isInstanceOf(KeeperException.ConnectionLossException.class);
    await("the client is connected again")
        .atMost(60, TimeUnit.SECONDS)
        .pollDelay(1500, TimeUnit.MILLISECONDS)
        .until(() -> client.getState().isConnected());
  }

  private int countCommands() {
    return deployment.node(0, ZooFencePaths.QUEUES + "/3").getChildren().size();
  }

  @AfterEach
  void stop() {
    proxy.close();
    deployment.close();
  }

  @Test
  void aReadAfterConnectionLossSeesTheCommandThatIsCarriedOutLater() throws Exception {
    try (ZooKeeper client = client()) {
      long session = client.getSessionId();
      loseCommand(client, CreateMode.EPHEMERAL);

      var children = new CompletableFuture<List<String>>();
      client.getChildren(
          "/all", false, (code, path, context, names) -> children.complete(names), null);
      deployment.serve(true);

      assertThat(children.get(60, TimeUnit.SECONDS)).containsExactly("mine");
      assertThat(client.getSessionId()).isEqualTo(session);
    }
  }

  @Test
  void aWriteAtOneEnsembleWaitsForTheCommandThatADeadConnectionHasLeft() throws Exception {
    try (var dead = new RawClient(proxy.address().getPort(), TIMEOUT_MILLIS)) {
      dead.send(
          ZooKeeperRequest.of(
                  OpCode.create,
                  new CreateRequest(
                      "/all/first",
                      new byte[0],
                      Ids.OPEN_ACL_UNSAFE,
                      CreateMode.PERSISTENT.toFlag()))
              .numbered(1));
      await("the command is in its queue")
          .atMost(60, TimeUnit.SECONDS)
          .until(() -> countCommands() > 0);
      dead.close();

      try (ProxyNode other = serve();
          var client =
              new ZooKeeper(
                  TestDeployment.address(other),
                  TIMEOUT_MILLIS,
                  event -> {},
                  dead.session(),
                  dead.password())) {
        var second = new CompletableFuture<Integer>();
        client.create(
            "/one/second",
            null,
            Ids.OPEN_ACL_UNSAFE,
            CreateMode.PERSISTENT,
            (code, path, context, name) -> second.complete(code),
            null);
        deployment.serve(true);

        assertThat(second.get(60, TimeUnit.SECONDS)).isZero();
        assertThat(deployment.node(1, "/all/first")).isNotNull();
      }
    }
  }

  @Test
  void requestsAreRefusedWhileTheOutcomeStaysUnknown() throws Exception {
    try (ZooKeeper client = client()) {
      loseCommand(client, CreateMode.PERSISTENT);

      for (String path : List.of("/one/a", "/one/b")) {
        assertThatThrownBy(
                () -> client.create(path, null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT))
            .isInstanceOf(KeeperException.OperationTimeoutException.class);
      }
      deployment.serve(true);

      await("requests are served again")
          .atMost(60, TimeUnit.SECONDS)
          .ignoreExceptionsInstanceOf(KeeperException.OperationTimeoutException.class)
          .until(() -> client.exists("/all/mine", false) != null);
      assertThat(client.getChildren("/one", false)).isEmpty();
    }
  }

  @Test
  void aCommandIsFoundThoughAnotherSessionHadItsPathInAFormerQueue() throws Exception {
    try (ZooKeeper admin = admin();
        ZooKeeper former = client();
        ZooKeeper client = client()) {
      replaceQueue(admin, 1L << 31);
      loseCommand(former, CreateMode.PERSISTENT);
      // The former session has looked at its command.
      assertThatThrownBy(() -> former.exists("/all", false))
          .isInstanceOf(KeeperException.OperationTimeoutException.class);
      String path = commands(admin).get(0);
      replaceQueue(admin, 2L << 31);
      loseCommand(client, CreateMode.PERSISTENT);
      assertThat(commands(admin)).containsExactly(path);

      var children = new CompletableFuture<List<String>>();
      client.getChildren(
          "/all", false, (code, of, context, names) -> children.complete(names), null);
      deployment.serve(true);

      assertThat(children.get(60, TimeUnit.SECONDS)).containsExactly("mine");
    }
  }

  private ZooKeeper admin() throws Exception {
    String address = deployment.deployment().admin().connectString();
    return TestDeployment.client(address, TIMEOUT_MILLIS, event -> {});
  }

  private static List<String> commands(ZooKeeper admin) throws Exception {
    return admin.getChildren(ZooFencePaths.QUEUES + "/3", false);
  }

  private static void replaceQueue(ZooKeeper admin, long base) throws Exception {
    String queue = ZooFencePaths.QUEUES + "/3";
    for (String command : commands(admin)) {
      admin.delete(queue + "/" + command, -1);
    }
    admin.delete(queue, -1);
    byte[] data = Long.toString(base).getBytes(StandardCharsets.UTF_8);
    admin.create(queue, data, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
  }

  @Test
  void aZnodeThatCannotBeReadBlocksNoSession() throws Exception {
    try (ZooKeeper admin = admin();
        ZooKeeper client = client()) {
      admin.addAuthInfo("digest", "stranger:secret".getBytes(StandardCharsets.UTF_8));
      admin.create(
          ZooFencePaths.QUEUES + "/3/c-",
          null,
          Ids.CREATOR_ALL_ACL,
          CreateMode.PERSISTENT_SEQUENTIAL);
      loseCommand(client, CreateMode.PERSISTENT);

      var children = new CompletableFuture<List<String>>();
      client.getChildren(
          "/all", false, (code, path, context, names) -> children.complete(names), null);
      deployment.serve(true);

      assertThat(children.get(60, TimeUnit.SECONDS)).containsExactly("mine");
    }
  }

  @Test
  void aSessionCanBeClosedWhileTheOutcomeStaysUnknown() throws Exception {
    ZooKeeper client = client();
    String live = ZooFencePaths.LIVE + "/" + ZooFencePaths.hex(client.getSessionId());
    loseCommand(client, CreateMode.EPHEMERAL);
    assertThat(deployment.node(0, live)).isNotNull();

    client.close();

    assertThat(deployment.node(0, live)).isNull();
    deployment.serve(true);
    await("the command and what it made are gone")
        .atMost(60, TimeUnit.SECONDS)
        .until(
            () ->
                countCommands() == 0
                    && deployment.node(0, "/all/mine") == null
                    && deployment.node(1, "/all/mine") == null);
  }

  @Test
  void aProtectedCreationOfCuratorMakesOneZnode() throws Exception {
    try (CuratorFramework client =
        CuratorFrameworkFactory.builder()
            .connectString(TestDeployment.address(proxy))
            .sessionTimeoutMs(TIMEOUT_MILLIS)
            .ensembleTracker(false)
            .retryPolicy(new RetryNTimes(60, 500))
            .build()) {
      var suspended = new CountDownLatch(1);
      client
          .getConnectionStateListenable()
          .addListener(
              (of, state) -> {
                if (state == ConnectionState.SUSPENDED) {
                  suspended.countDown();
                }
              });
      client.start();
      CompletableFuture<String> made =
          CompletableFuture.supplyAsync(() -> create(client), work -> new Thread(work).start());

      // Without order there is a second command instead.
      await("the connection is lost")
          .atMost(60, TimeUnit.SECONDS)
          .until(() -> suspended.getCount() == 0 || countCommands() > 1);
      deployment.serve(true);

      String path = made.get(60, TimeUnit.SECONDS);
      assertThat(client.getChildren().forPath("/all"))
          .containsExactly(path.substring(path.lastIndexOf('/') + 1));
    }
  }

  private static String create(CuratorFramework client) {
    try {
      return client
          .create()
          .withProtection()
          .withMode(CreateMode.EPHEMERAL_SEQUENTIAL)
          .forPath("/all/lock-");
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
