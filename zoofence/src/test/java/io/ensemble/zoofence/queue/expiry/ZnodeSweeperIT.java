package io.ensemble.zoofence.queue.expiry;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ensemble.zoofence.TestDeployment;
import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.queue.ZnodeOwner;
import java.nio.file.Path;
import java.util.List;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.server.ZKDatabase;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Removal of containers that became empty, and of znodes whose time to live is over. */
final class ZnodeSweeperIT {
  private static final long SHORT_MILLIS = 5000;

  @TempDir Path directory;

  private TestDeployment deployment;
  private ZooKeeper client;

  @BeforeEach
  void start() throws Exception {
    System.setProperty("zookeeper.extendedTypesEnabled", "true");
    System.setProperty("znode.container.checkIntervalMs", "100");
    deployment = new TestDeployment(directory, 3, "/one 2;/two 1 2");
    client = TestDeployment.client(deployment.serve(true));
  }

  @AfterEach
  void stop() throws Exception {
    client.close();
    deployment.close();
    System.clearProperty("zookeeper.extendedTypesEnabled");
    System.clearProperty("znode.container.checkIntervalMs");
  }

  private static ConditionFactory awaiting(String what) {
    return await(what).pollInterval(20, MILLISECONDS).atMost(60, SECONDS);
  }

  /** Requires that all paths stay while several sweeps for unused containers would run. */
  private void requireAllStay(List<String> paths, String why) {
    await(why)
        .during(400, MILLISECONDS)
        .atMost(60, SECONDS)
        .until(() -> paths.stream().noneMatch(this::isNowhere));
  }

  private boolean isNowhere(String path) {
    return List.of(0, 1, 2).stream().allMatch(instance -> deployment.node(instance, path) == null);
  }

  private String create(String path, CreateMode mode) throws Exception {
    return client.create(path, null, Ids.OPEN_ACL_UNSAFE, mode);
  }

  private void lasting(String path, long ttl) throws Exception {
    client.create(path, null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT_WITH_TTL, new Stat(), ttl);
  }

  @Test
  void aContainerGoesEverywhereWhenItIsEmptyAgain() throws Exception {
    for (String path : List.of("/all", "/one", "/two")) {
      create(path, CreateMode.CONTAINER);
    }
    requireAllStay(List.of("/all", "/one", "/two"), "those that were never used stay");
    for (String path : List.of("/all", "/one", "/two")) {
      assertThat(client.exists(path, false)).as("%s was never used", path).isNotNull();
      create(path + "/x", CreateMode.PERSISTENT);
    }
    assertThat(client.getEphemerals()).isEmpty();
    requireAllStay(List.of("/all", "/one", "/two"), "those that are in use stay");

    for (String path : List.of("/all", "/one", "/two")) {
      assertThat(client.exists(path, false)).as("%s is in use", path).isNotNull();
      client.delete(path + "/x", -1);
    }

    for (String path : List.of("/all", "/one", "/two")) {
      awaiting(path + " goes").until(() -> isNowhere(path));
      awaiting("its record goes")
          .until(() -> isNowhere(ZooFencePaths.OWNED + "/" + ZooFencePaths.escaped(path)));
    }
    awaiting("what has to go is forgotten").until(() -> isEmpty(ZooFencePaths.UNUSED));
  }

  @Test
  void znodesThatOnlyTheirCreatorMayReadAreRemovedToo() throws Exception {
    client.addAuthInfo("digest", "ann:secret".getBytes(UTF_8));
    client.create("/own", null, Ids.CREATOR_ALL_ACL, CreateMode.PERSISTENT);
    client.create("/own/c", null, Ids.CREATOR_ALL_ACL, CreateMode.CONTAINER);
    client.create("/own/c/x", null, Ids.CREATOR_ALL_ACL, CreateMode.PERSISTENT);
    client.create(
        "/own/t", null, Ids.CREATOR_ALL_ACL, CreateMode.PERSISTENT_WITH_TTL, new Stat(), 50);
    client.delete("/own/c/x", -1);

    awaiting("the container goes").until(() -> isNowhere("/own/c"));
    awaiting("the znode with a time to live goes").until(() -> isNowhere("/own/t"));
    awaiting("their records go").until(() -> isEmpty(ZooFencePaths.UNUSED));
    assertThat(client.exists("/own", false)).isNotNull();
  }

  private boolean isEmpty(String path) {
    return deployment.node(0, path).getChildren().isEmpty();
  }

  @Test
  void aZnodeGoesWhenItHasLivedItsTimeAndStaysIfItIsChanged() throws Exception {
    lasting("/goes", SHORT_MILLIS);
    lasting("/stays", SHORT_MILLIS);
    lasting("/used", SHORT_MILLIS);
    create("/used/x", CreateMode.PERSISTENT);
    assertThat(deployment.node(1, "/goes")).isNotNull();

    long[] changed = {System.nanoTime()};
    awaiting("/goes goes")
        .pollInSameThread()
        .until(() -> changedOrExpired(changed) && isNowhere("/goes"));

    assertThat(changedOrExpired(changed)).isTrue();
    assertThat(client.exists("/used", false)).isNotNull();
    awaiting("nobody changes it any more").until(() -> isNowhere("/stays"));
  }

  /**
   * Writes to /stays, or creates it again if this test was too slow: it may be missing only if it
   * was not changed during its time to live.
   */
  private boolean changedOrExpired(long[] changed) throws Exception {
    long now = System.nanoTime();
    try {
      client.setData("/stays", null, -1);
    } catch (KeeperException.NoNodeException e) {
      assertThat(System.nanoTime() - changed[0]).isGreaterThan(MILLISECONDS.toNanos(SHORT_MILLIS));
      lasting("/stays", SHORT_MILLIS);
    }
    changed[0] = now;
    return true;
  }

  @Test
  void whatWasSeenBeforeAChangeIsNotRemoved() throws Exception {
    var old = new ZnodeOwner(Long.MIN_VALUE, 0);
    create("/c", CreateMode.CONTAINER);
    var whose = ZnodeOwner.read(deployment.node(0, ZooFencePaths.OWNED + "/%2Fc").getData());
    client.setData("/c", null, 0);

    try (ZooKeeper admin =
        TestDeployment.client(
            deployment.deployment().admin().connectString(), 10_000, event -> {})) {
      String queue = ZooFencePaths.queue(deployment.deployment().flattening().all());
      for (QueueCommand late :
          List.of(
              QueueCommand.expire(whose, "/c", 0, List.of()),
              QueueCommand.expire(
                  new ZnodeOwner(old.owner(), whose.command() + 1), "/c", 1, List.of()))) {
        admin.create(
            queue + "/c-", late.bytes(), Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT_SEQUENTIAL);
      }
      awaiting("they are carried out").until(() -> isEmpty(queue));
    }

    assertThat(client.exists("/c", false)).isNotNull();
  }

  @Test
  void transactionsMakeThemAndASingleInstanceHasItsOwn() throws Exception {
    create("/one", CreateMode.PERSISTENT);

    client.multi(
        List.of(
            Op.create("/c", null, Ids.OPEN_ACL_UNSAFE, CreateMode.CONTAINER),
            Op.create("/c/x", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT),
            Op.create("/one/c", null, Ids.OPEN_ACL_UNSAFE, CreateMode.CONTAINER),
            Op.create("/one/c/x", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT)));
    assertThat(isNative("/c")).isFalse();
    assertThat(isNative("/one/c")).isTrue();
    client.multi(List.of(Op.delete("/c/x", -1), Op.delete("/one/c/x", -1)));

    awaiting("both go").until(() -> isNowhere("/c") && isNowhere("/one/c"));
  }

  private boolean isNative(String container) {
    ZKDatabase database = deployment.instances().get(1).server().getZKDatabase();
    return database.getDataTree().getContainers().contains(container);
  }

  @Test
  void withoutExtendedTypesThereIsNoTimeToLive() throws Exception {
    System.setProperty("zookeeper.extendedTypesEnabled", "false");

    assertThatThrownBy(() -> lasting("/t", 1000))
        .isInstanceOf(KeeperException.UnimplementedException.class);

    assertThat(create("/c", CreateMode.CONTAINER)).isEqualTo("/c");
  }
}
