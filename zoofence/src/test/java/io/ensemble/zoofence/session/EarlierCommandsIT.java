package io.ensemble.zoofence.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ensemble.zoofence.RawClient;
import io.ensemble.zoofence.TestDeployment;
import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.proxy.ProxyNode;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
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
  private static final int PING_XID = -2;

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

  /**
   * The result of a request that is repeated while it is refused, or its connection lost. So the
   * test does not depend on the speed of the machine; a request that overtakes the command is still
   * answered, too early.
   */
  private static <T> T answered(Callable<T> request) {
    return await("the request is answered")
        .atMost(60, TimeUnit.SECONDS)
        .ignoreExceptionsMatching(
            e ->
                e instanceof KeeperException.OperationTimeoutException
                    || e instanceof KeeperException.ConnectionLossException)
        .until(request, result -> true);
  }

  private static <T> CompletableFuture<T> askInBackground(Callable<T> request) {
    return CompletableFuture.supplyAsync(
        () -> answered(request), work -> new Thread(work, "test-client").start());
  }

  /** Requires that a request is refused; a lost connection is no refusal, and the next one is. */
  private static void assertRefused(Callable<?> request) {
    assertThatThrownBy(
            () ->
                await("the request has an outcome")
                    .atMost(60, TimeUnit.SECONDS)
                    .ignoreException(KeeperException.ConnectionLossException.class)
                    .until(request::call, result -> true))
        .isInstanceOf(KeeperException.OperationTimeoutException.class);
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

      CompletableFuture<List<String>> children =
          askInBackground(() -> client.getChildren("/all", false));
      deployment.serve(true);

      assertThat(children.get(60, TimeUnit.SECONDS)).containsExactly("mine");
      assertThat(client.getSessionId()).isEqualTo(session);
    }
  }

  @Test
  void aWriteAtOneEnsembleWaitsForTheCommandThatADeadConnectionHasLeft() throws Exception {
    try (var dead = new RawClient(proxy.address().getPort(), TIMEOUT_MILLIS)) {
      dead.send(createRequest("/all/first", CreateMode.PERSISTENT));
      awaitCommand();
      dead.close();

      try (ProxyNode other = serve();
          var client =
              new ZooKeeper(
                  TestDeployment.address(other),
                  TIMEOUT_MILLIS,
                  event -> {},
                  dead.session(),
                  dead.password())) {
        CompletableFuture<String> second =
            askInBackground(
                () ->
                    client.create("/one/second", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT));
        deployment.serve(true);

        assertThat(second.get(60, TimeUnit.SECONDS)).isEqualTo("/one/second");
        assertThat(deployment.node(1, "/all/first")).isNotNull();
      }
    }
  }

  @Test
  void requestsAreRefusedWhileTheOutcomeStaysUnknown() throws Exception {
    try (ZooKeeper client = client()) {
      loseCommand(client, CreateMode.PERSISTENT);

      for (String path : List.of("/one/a", "/one/b")) {
        assertRefused(() -> client.create(path, null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT));
      }
      deployment.serve(true);

      assertThat(answered(() -> Optional.ofNullable(client.exists("/all/mine", false))))
          .isPresent();
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
      assertRefused(() -> former.exists("/all", false));
      String path = commands(admin).get(0);
      replaceQueue(admin, 2L << 31);
      loseCommand(client, CreateMode.PERSISTENT);
      assertThat(commands(admin)).containsExactly(path);

      CompletableFuture<List<String>> children =
          askInBackground(() -> client.getChildren("/all", false));
      deployment.serve(true);

      assertThat(children.get(60, TimeUnit.SECONDS)).containsExactly("mine");
    }
  }

  /** Pings while the connection is open. */
  private static boolean ping(RawClient client) {
    try {
      client.send(ZooKeeperRequest.bare(OpCode.ping).numbered(PING_XID));
    } catch (IOException closed) {
      // The server closes the connection of a session that has ended.
    }
    return true;
  }

  private static ZooKeeperRequest createRequest(String path, CreateMode mode) {
    return ZooKeeperRequest.of(
            OpCode.create, new CreateRequest(path, new byte[0], Ids.OPEN_ACL_UNSAFE, mode.toFlag()))
        .numbered(1);
  }

  private void awaitCommand() {
    await("the command is in its queue")
        .atMost(60, TimeUnit.SECONDS)
        .until(() -> countCommands() > 0);
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

      CompletableFuture<List<String>> children =
          askInBackground(() -> client.getChildren("/all", false));
      deployment.serve(true);

      assertThat(children.get(60, TimeUnit.SECONDS)).containsExactly("mine");
    }
  }

  @Test
  void aSessionCanBeClosedWhileTheOutcomeStaysUnknown() throws Exception {
    long session;
    byte[] password;
    try (var dead = new RawClient(proxy.address().getPort(), TIMEOUT_MILLIS)) {
      session = dead.session();
      password = dead.password();
      dead.send(createRequest("/all/mine", CreateMode.EPHEMERAL));
      awaitCommand();
    }
    String live = ZooFencePaths.LIVE + "/" + ZooFencePaths.hex(session);
    assertThat(deployment.node(0, live)).isNotNull();

    try (var client = new RawClient(proxy.address().getPort(), TIMEOUT_MILLIS, session, password)) {
      client.send(ZooKeeperRequest.bare(OpCode.closeSession).numbered(1));
      await("the session has ended, though its client keeps it alive")
          .atMost(60, TimeUnit.SECONDS)
          .until(() -> ping(client) && deployment.node(0, live) == null);
    }

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
