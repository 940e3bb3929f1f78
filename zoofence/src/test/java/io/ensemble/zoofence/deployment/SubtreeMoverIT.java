package io.ensemble.zoofence.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ensemble.zoofence.TestDeployment;
import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.FlatteningEpoch;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.flattening.SubtreeMove;
import io.ensemble.zoofence.flattening.SubtreeMove.Phase;
import io.ensemble.zoofence.flattening.ZnodePaths;
import io.ensemble.zoofence.proxy.ProxyNode;
import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.queue.ZnodeOwner;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.server.DataNode;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Subtrees that move to other instances while clients use them. */
@Timeout(120)
final class SubtreeMoverIT {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int MOST_ON_THEIR_WAY = 8;

  @TempDir Path directory;

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final AtomicBoolean over = new AtomicBoolean();
  private TestDeployment deployment;
  private ProxyNode node;
  private ZooKeeper client;
  private SubtreeMover subtreeMover;

  @BeforeEach
  void start() throws Exception {
    deployment = new TestDeployment(directory, 3, "/a 1;/b 2");
    node = deployment.serve(true);
    client = TestDeployment.client(node);
    subtreeMover = new SubtreeMover(deployment.deployment(), TestDeployment.PATIENCE);
    make("/a", "root");
  }

  @AfterEach
  void stop() throws Exception {
    over.set(true);
    threads.shutdown();
    assertThat(threads.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    client.close();
    deployment.close();
  }

  private void make(String path, String data) throws Exception {
    client.create(path, data.getBytes(), Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
  }

  private void move(String path, String rule) throws Exception {
    subtreeMover.move(path, rule, List.of(), LIMIT);
  }

  private Stat set(String path, String data) throws Exception {
    return client.setData(path, data.getBytes(), -1);
  }

  @Test
  void itIsThereAsItWasAndNowhereElse() throws Exception {
    make("/a/x", "0");
    set("/a/x", "1");
    Stat before = set("/a/x", "2");
    make("/a/x/y", "below");
    client.setACL("/a/x/y", Ids.READ_ACL_UNSAFE, 0);

    move("/a", "2");

    assertThat(client.getData("/a/x", false, null)).isEqualTo("2".getBytes());
    assertThat(client.exists("/a/x", false).getVersion()).isEqualTo(before.getVersion());
    assertThat(client.getACL("/a/x/y", null)).isEqualTo(Ids.READ_ACL_UNSAFE);
    assertThat(client.exists("/a/x/y", false).getAversion()).isEqualTo(1);
    assertThat(client.getChildren("/a", false)).containsExactly("x");
    assertThat(deployment.node(0, "/a/x")).isNull();
    assertThat(deployment.node(1, "/a/x/y")).isNotNull();
    assertThat(client.setData("/a/x", null, before.getVersion()).getVersion()).isEqualTo(3);
  }

  @Test
  void itMayGoToAllAndBackToOne() throws Exception {
    make("/a/x", "0");

    move("/a", "*");
    set("/a/x", "by all");

    for (int instance = 0; instance < 3; instance++) {
      assertThat(deployment.node(instance, "/a/x").getData()).isEqualTo("by all".getBytes());
    }
    move("/a", "3");
    set("/a/x", "by one");
    assertThat(deployment.node(0, "/a/x")).isNull();
    assertThat(deployment.node(1, "/a/x")).isNull();
    assertThat(client.getData("/a/x", false, null)).isEqualTo("by one".getBytes());
    assertThat(client.exists("/a/x", false).getVersion()).isEqualTo(2);
  }

  @Test
  void sequentialNamesAreNotGivenTwice() throws Exception {
    var names = new ArrayList<String>();
    for (String rule : List.of("1", "2", "1,3", "1", "*")) {
      move("/a", rule);
      for (int i = 0; i < 3; i++) {
        names.add(
            client.create("/a/n-", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT_SEQUENTIAL));
      }
      client.delete(names.get(names.size() - 1), -1);
    }

    assertThat(names).doesNotHaveDuplicates().isSorted();
  }

  @Test
  void noAcknowledgedWriteIsLostAndNoneHappensTwice() throws Exception {
    make("/a/x", "0");
    make("/b", "other");
    var writers = new ArrayList<Future<List<Integer>>>();
    ProxyNode second = deployment.serve(false);
    for (ProxyNode proxy : List.of(node, second)) {
      writers.add(threads.submit(() -> write(proxy)));
    }

    for (String rule : List.of("2", "*", "3", "1")) {
      move("/a", rule);
    }
    over.set(true);
    var versions = new ArrayList<Integer>();
    for (Future<List<Integer>> writer : writers) {
      List<Integer> own = writer.get(60, TimeUnit.SECONDS);
      assertThat(own).as("in the order in which they were sent").isSorted();
      versions.addAll(own);
    }

    int written = client.exists("/a/x", false).getVersion();
    List<Integer> each = IntStream.rangeClosed(1, written).boxed().toList();
    assertThat(versions).containsExactlyInAnyOrderElementsOf(each);
  }

  /** Writes to a moving znode and to another one; returns the results of the former. */
  private List<Integer> write(ProxyNode proxy) throws Exception {
    var versions = new ConcurrentLinkedQueue<Integer>();
    var room = new Semaphore(MOST_ON_THEIR_WAY);
    try (ZooKeeper own = TestDeployment.client(proxy)) {
      for (int round = 1; !over.get(); round++) {
        room.acquire();
        own.setData(
            "/a/x",
            Integer.toString(round).getBytes(),
            -1,
            (code, path, context, stat) -> {
              versions.add(code == 0 ? stat.getVersion() : code);
              room.release();
            },
            null);
        if (round % 20 == 0) {
          own.setData("/b", null, -1);
        }
      }
      room.acquire(MOST_ON_THEIR_WAY);
    }
    return List.copyOf(versions);
  }

  @Test
  void whatIsWatchedOnceIsWatchedWhereItGoes() throws Exception {
    make("/a/x", "0");
    var events = new LinkedBlockingQueue<WatchedEvent>();
    client.getData("/a/x", events::add, null);
    client.exists("/a/later", events::add);
    client.getChildren("/a/x", events::add);

    move("/a", "2");
    assertThat(client.getData("/a/x", false, null)).isEqualTo("0".getBytes());
    assertThat(events).as("a move is no change").isEmpty();

    try (ZooKeeper other = TestDeployment.client(node)) {
      other.setData("/a/x", null, -1);
      other.create("/a/later", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
      other.create("/a/x/y", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    }
    for (int i = 0; i < 3; i++) {
      assertThat(events.poll(20, TimeUnit.SECONDS)).as("event " + i).isNotNull();
    }
    assertThat(events).isEmpty();
  }

  @Test
  void whatIsWatchedForGoodIsWatchedOn() throws Exception {
    make("/a/x", "0");
    var events = new LinkedBlockingQueue<WatchedEvent>();
    client.addWatch("/a", events::add, AddWatchMode.PERSISTENT_RECURSIVE);

    move("/a", "2");
    client.exists("/a", false);
    events.clear();
    set("/a/x", "1");

    WatchedEvent told = events.poll(20, TimeUnit.SECONDS);
    assertThat(told).isNotNull();
    assertThat(told.getPath()).isEqualTo("/a/x");
  }

  @Test
  void theNextLeaderGoesOnWithAMoveThatItsPredecessorBegan() throws Exception {
    for (int i = 0; i < 60; i++) {
      make("/a/x" + i, "0");
    }
    ProxyNode leader = node;
    List<Phase> interrupted = new ArrayList<>();
    for (Phase phase : List.of(Phase.COPYING, Phase.CLEANING)) {
      String rule = phase == Phase.COPYING ? "2,3" : "1,3";
      ProxyNode next = deployment.serve(true);
      Future<?> moves =
          threads.submit(
              () -> {
                move("/a", rule);
                return null;
              });
      while (!moves.isDone() && !isAt(phase)) {
        Thread.onSpinWait();
      }
      interrupted.add(phase());
      leader.close();
      leader = next;
      moves.get(60, TimeUnit.SECONDS);

      try (ZooKeeper through = TestDeployment.client(next)) {
        assertThat(through.getChildren("/a", false)).hasSize(60);
        for (int i = 0; i < 60; i++) {
          assertThat(through.setData("/a/x" + i, null, -1).getVersion()).isPositive();
        }
      }
      for (int instance = 0; instance < 3; instance++) {
        boolean holds = rule.contains(Integer.toString(instance + 1));
        assertThat(deployment.node(instance, "/a/x7") != null).isEqualTo(holds);
      }
    }
    assertThat(interrupted).contains(Phase.COPYING);
  }

  private Phase phase() {
    byte[] kept = deployment.node(0, ZooFencePaths.FLATTENING).getData();
    SubtreeMove move = FlatteningEpoch.read(kept, List.of("1", "2", "3")).move();
    return move == null ? Phase.DONE : move.phase();
  }

  private boolean isAt(Phase phase) {
    return phase() == phase;
  }

  @Test
  void whatStandsBehindAMoveInTheQueueOfThoseThatLoseTheSubtreeGoesWhereItIsByThen()
      throws Exception {
    move("/a", "1,2");
    make("/a/x", "0");
    String losing = ZooFencePaths.queue(InstanceSet.first(2));
    set("/a/x", "1");
    node.close();
    var outcomes = new LinkedBlockingQueue<Integer>();

    try (ZooKeeper admin =
            TestDeployment.client(
                deployment.deployment().admin().connectString(), 20_000, event -> {});
        ZooKeeper waits = TestDeployment.client(deployment.serve(false))) {
      String move = queued(admin, InstanceSet.first(3), QueueCommand.move("/a", "3", List.of()));
      queued(
          admin,
          InstanceSet.first(2),
          new QueueCommand(0, QueueCommand.LOCK, StandardCharsets.UTF_8.encode(move), List.of()));
      waits.setData("/a/x", null, -1, (code, of, context, stat) -> outcomes.add(code), null);
      waits.setData("/a/x", null, 2, (code, of, context, stat) -> outcomes.add(code), null);
      await("commands in the queue")
          .pollInterval(10, TimeUnit.MILLISECONDS)
          .atMost(60, TimeUnit.SECONDS)
          .until(() -> deployment.node(0, losing).getChildren().size() >= 3);
      deployment.serve(true);

      assertThat(outcomes.poll(60, TimeUnit.SECONDS)).isZero();
      assertThat(outcomes.poll(60, TimeUnit.SECONDS)).isZero();
      assertThat(waits.exists("/a/x", false).getVersion()).isEqualTo(3);
    }
    for (int instance = 0; instance < 3; instance++) {
      assertThat(deployment.node(instance, "/a/x") != null).isEqualTo(instance == 2);
    }
  }

  private static String queued(ZooKeeper admin, InstanceSet set, QueueCommand command)
      throws Exception {
    return admin.create(
        ZooFencePaths.queue(set) + "/c-",
        command.bytes(),
        Ids.OPEN_ACL_UNSAFE,
        CreateMode.PERSISTENT_SEQUENTIAL);
  }

  @Test
  void recordsOfOwnersWithoutAZnodeThereDoNotPreventAMoveAndAreRemoved() throws Exception {
    make("/a/x", "persistent");
    // An earlier checkout recorded owners at every instance of the queue, and did not remove those
    // at instances that do not hold the znode.
    recordOwner(0, "/a/gone");
    recordOwner(1, "/a/x");
    recordOwner(2, "/a/gone");
    recordOwner(2, "/b/kept");

    assertThat(subtreeMover.preview("/a", "2", List.of(), LIMIT).refusals()).isEmpty();
    move("/a", "2");

    assertThat(client.getData("/a/x", false, null)).isEqualTo("persistent".getBytes());
    for (int instance = 0; instance < 3; instance++) {
      assertThat(ownerRecord(instance, "/a/gone")).isNull();
      assertThat(ownerRecord(instance, "/a/x")).isNull();
    }
    assertThat(ownerRecord(2, "/b/kept")).as("beside the subtree").isNotNull();
  }

  private void recordOwner(int instance, String path) throws Exception {
    String address = deployment.deployment().instances().get(instance).connectString();
    try (ZooKeeper direct = TestDeployment.client(address, 20_000, event -> {})) {
      direct.create(
          ownerRecordPath(path),
          new ZnodeOwner(client.getSessionId(), 0).bytes(),
          Ids.OPEN_ACL_UNSAFE,
          CreateMode.PERSISTENT);
    }
  }

  private @Nullable DataNode ownerRecord(int instance, String path) {
    return deployment.node(instance, ownerRecordPath(path));
  }

  private static String ownerRecordPath(String path) {
    return ZnodePaths.child(ZooFencePaths.OWNED, ZooFencePaths.escaped(path));
  }

  @Test
  void ephemeralZnodesAreNotTorn() throws Exception {
    client.create("/a/mine", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);

    assertThatThrownBy(() -> move("/a", "2"))
        .isInstanceOf(DeploymentException.class)
        .hasMessageContaining("/a/mine");

    client.delete("/a/mine", -1);
    make("/a/x", "still in use");
    move("/a", "2");
    assertThat(deployment.node(1, "/a/x")).isNotNull();
  }

  @Test
  void whatBreaksTheRulesIsRefused() throws Exception {
    make("/a/x", "0");

    assertThatThrownBy(() -> move("/a/x", "2")).hasMessageContaining("/a/x");
    for (String path : List.of("/", "/zookeeper", "/zookeeper/zoofence", "/a/", "a", "/a b")) {
      assertThatThrownBy(() -> move(path, "2")).isInstanceOf(DeploymentException.class);
    }
    assertThatThrownBy(() -> move("/a", "nowhere")).hasMessageContaining("nowhere");
    assertThat(subtreeMover.flattening()).isEqualTo(deployment.deployment().flattening());
  }
}
