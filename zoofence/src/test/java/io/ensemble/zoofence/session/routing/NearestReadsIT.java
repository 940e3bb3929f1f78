package io.ensemble.zoofence.session.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.zoofence.TestDeployment;
import io.ensemble.zoofence.deployment.NearestInstances;
import io.ensemble.zoofence.wire.Zxids;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Znodes that several instances hold are read at the nearest one. */
final class NearestReadsIT {
  private static final int NEAREST = 2;

  @TempDir Path directory;

  private TestDeployment deployment;
  private ZooKeeper client;
  private ZooKeeper other;

  @BeforeEach
  void start() throws Exception {
    deployment = new TestDeployment(directory, 3, "/two 1 2");
    other = TestDeployment.client(deployment.serve(true));
    client =
        TestDeployment.client(
            deployment.serve(
                false,
                NearestInstances.ofNames(deployment.deployment().instances(), List.of("3"))));
    for (String path : List.of("/all", "/two")) {
      other.create(path, new byte[] {1}, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    }
  }

  @AfterEach
  void stop() throws Exception {
    client.close();
    other.close();
    deployment.close();
  }

  /** Changes data at one instance only, bypassing ZooFence, to show which instance is read. */
  private void only(int instance, String path, String data) throws Exception {
    deployment
        .instances()
        .get(instance)
        .server()
        .getZKDatabase()
        .getDataTree()
        .setData(path, data.getBytes(), 7, 1, 1);
  }

  @Test
  void readsGoToTheNearestThatHoldsThePath() throws Exception {
    only(NEAREST, "/all", "near");
    only(0, "/two", "first");

    assertThat(client.getData("/all", false, null)).isEqualTo("near".getBytes());
    assertThat(client.getData("/two", false, null)).isEqualTo("first".getBytes());
    assertThat(other.getData("/all", false, null)).isEqualTo(new byte[] {1});
    var both = client.multi(List.of(Op.getData("/all"), Op.getData("/two")));
    assertThat(((OpResult.GetDataResult) both.get(0)).getData()).isEqualTo("near".getBytes());
    long seen = client.exists("/all", false).getCzxid();
    assertThat(seen)
        .isEqualTo(Zxids.seen(deployment.node(NEAREST, "/all").stat.getCzxid(), NEAREST));
  }

  @Test
  void aSessionSeesWhatItWroteItself() throws Exception {
    for (int round = 0; round < 50; round++) {
      byte[] data = {(byte) round};

      client.setData("/all", data, -1);

      assertThat(client.getData("/all", false, null)).isEqualTo(data);
    }
    String own = client.create("/all/e", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
    assertThat(client.exists(own, false).getEphemeralOwner()).isEqualTo(client.getSessionId());
  }

  @Test
  void aSyncShowsWhatOthersWereTold() throws Exception {
    for (int round = 0; round < 30; round++) {
      byte[] data = {(byte) round};
      other.setData("/all", data, -1);
      var synced = new CountDownLatch(1);

      client.sync("/all", (code, path, context) -> count(code, path, synced), null);

      assertThat(client.getData("/all", false, null)).isEqualTo(data);
      assertThat(synced.await(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  private static void count(int code, String path, CountDownLatch synced) {
    if (code == 0 && path.equals("/all")) {
      synced.countDown();
    }
  }

  @Test
  void watchesSitWhereIsReadAndTellOnceBeforeTheReply() throws Exception {
    var seen = new LinkedBlockingQueue<String>();
    client.exists("/all/x", event -> seen.add("exists " + event.getType()));
    client.getChildren("/all", event -> seen.add("children " + event.getType()));
    client.addWatch(
        "/two", event -> seen.add("below " + event.getPath()), AddWatchMode.PERSISTENT_RECURSIVE);

    client.create("/all/x", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    seen.add("reply");
    client.create("/two/x", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    seen.add("reply");
    // The event thread delivers this callback after all events.
    client.sync("/", (code, path, context) -> seen.add("end"), null);

    for (String last = ""; !last.equals("end"); ) {
      last = String.valueOf(seen.poll(10, TimeUnit.SECONDS));
      assertThat(last).isNotEqualTo("null");
      order.add(last);
    }
    assertThat(order)
        .containsOnlyOnce("exists NodeCreated", "children NodeChildrenChanged", "below /two/x");
  }

  private final List<String> order = new java.util.ArrayList<>();

  @Test
  void versionsStillCompare() throws Exception {
    Stat stat = client.exists("/all", false);
    other.setData("/all", null, -1);

    assertThatThrownBy(() -> client.setData("/all", null, stat.getVersion()))
        .isInstanceOf(org.apache.zookeeper.KeeperException.BadVersionException.class);
  }

  @Test
  void theNearestIsTheOneThatAnswersFirstOrIsNamed() throws Exception {
    var instances = deployment.deployment().instances();

    assertThat(NearestInstances.measure(instances, Duration.ofSeconds(5)).nearestFirst())
        .containsExactlyInAnyOrder(0, 1, 2);
    assertThat(NearestInstances.ofNames(instances, List.of("3", "1")).nearestFirst())
        .containsExactly(2, 0);
    assertThatThrownBy(() -> NearestInstances.ofNames(instances, List.of("lyon")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no instance is named 'lyon'; known are 1, 2, 3");
  }
}
