package io.ensemble.zoofence.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ensemble.zoofence.TestDeployment;
import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.proxy.ProxyNode;
import io.ensemble.zoofence.queue.AclIntent;
import io.ensemble.zoofence.queue.DedupSlot;
import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.queue.replica.QueueReplica;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.server.DataNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A writer that bypasses ZooFence makes ensembles differ: the repair shows it and ends it. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
final class QueueRepairIT {
  private static final byte[] FOREIGN = {9};
  private static final List<ACL> FEW_RIGHTS =
      new ArrayList<>(
          List.of(new ACL(ZooDefs.Perms.ADMIN | ZooDefs.Perms.READ, Ids.ANYONE_ID_UNSAFE)));

  @TempDir Path directory;

  private TestDeployment deployment;
  private ProxyNode node;
  private ZooKeeper client;
  private final List<ZooKeeper> foreignWriters = new ArrayList<>();

  @BeforeEach
  void start() throws Exception {
    deployment = new TestDeployment(directory, 3, "/own 2");
    node = deployment.serve(true);
    client = TestDeployment.client(node);
    for (var instance : deployment.instances()) {
      foreignWriters.add(
          TestDeployment.client("127.0.0.1:" + instance.port(), 20_000, event -> {}));
    }
    for (String path : List.of("/shared", "/shared/x", "/shared/y", "/own", "/own/x")) {
      client.create(path, new byte[] {1}, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    }
  }

  @AfterEach
  void stop() throws Exception {
    for (ZooKeeper writer : foreignWriters) {
      writer.close();
    }
    client.close();
    deployment.close();
  }

  private QueueRepair repair(QueueCommand.Credential... credentials) {
    return new QueueRepair(deployment.deployment(), Duration.ofSeconds(20), List.of(credentials));
  }

  private DataNode node(int instance, String path) {
    return Objects.requireNonNull(deployment.node(instance, path), path + " at " + instance);
  }

  /** Makes the instances differ so that the next command stops the queue. */
  private void stopQueue() throws Exception {
    foreignWriters.get(1).delete("/shared/x", -1);
    client.setData("/shared/x", new byte[] {2}, 0, (code, path, context, stat) -> {}, null);
    await().atMost(Duration.ofSeconds(60)).until(() -> node.queueCounts().stopped() == 1);
  }

  private void assertQueueContinues() {
    await()
        .atMost(Duration.ofSeconds(90))
        .ignoreExceptionsInstanceOf(KeeperException.class)
        .until(() -> client.setData("/shared/y", new byte[] {3}, -1).getVersion() > 0);
    for (int instance = 0; instance < 3; instance++) {
      assertThat(node(instance, "/shared/y").stat.getVersion())
          .isEqualTo(node(0, "/shared/y").stat.getVersion());
    }
  }

  @Test
  void aStoppedQueueContinuesWithTheStateOfTheChosenEnsemble() throws Exception {
    stopQueue();
    List<QueueRepair.Difference> differences = repair().findDifferences("/");

    List<QueueRepair.Difference> remaining = repair().repair("/", "1");

    assertThat(differences.get(0).subject()).isEqualTo("/shared/x");
    assertThat(differences.get(0).states())
        .containsKeys("1", "2", "3")
        .containsEntry("2", "absent");
    assertThat(differences.get(1).subject()).startsWith("slot ");
    assertThat(remaining).isEmpty();
    assertQueueContinues();
    for (int instance = 0; instance < 3; instance++) {
      assertThat(node(instance, "/shared/x").stat.getVersion()).isEqualTo(1);
      assertThat(node(instance, "/shared/x").getData()).containsExactly(2);
    }
    assertThat(repair().findDifferences("/")).isEmpty();
  }

  @Test
  void theEnsembleThatRefusedCanBeChosenInstead() throws Exception {
    stopQueue();

    assertThat(repair().repair("/", "2")).isEmpty();

    assertQueueContinues();
    for (int instance = 0; instance < 3; instance++) {
      assertThat(deployment.node(instance, "/shared/x")).isNull();
    }
  }

  @Test
  void aDryRunChangesNothing() throws Exception {
    stopQueue();
    List<QueueRepair.Difference> before = repair().findDifferences("/");

    assertThat(repair().findDifferences("/")).isEqualTo(before).hasSize(2);
    assertThat(deployment.node(1, "/shared/x")).isNull();
  }

  @Test
  void dataVersionsAccessListsCountsAndSubtreesBecomeEqual() throws Exception {
    foreignWriters.get(2).setData("/shared/x", FOREIGN, -1);
    foreignWriters.get(2).setData("/shared/x", FOREIGN, -1);
    foreignWriters.get(1).setACL("/shared/y", FEW_RIGHTS, -1);
    foreignWriters.get(2).create("/shared/z", FOREIGN, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    foreignWriters.get(2).create("/shared/z/a", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);

    assertThat(repair().findDifferences("/"))
        .extracting(QueueRepair.Difference::subject)
        .containsExactly("/shared", "/shared/x", "/shared/y", "/shared/z", "/shared/z/a");
    assertThat(repair().repair("/", "1")).isEmpty();

    for (int instance = 0; instance < 3; instance++) {
      assertThat(node(instance, "/shared/x").getData()).containsExactly(1);
      assertThat(node(instance, "/shared/x").stat.getVersion()).isEqualTo(3);
      assertThat(node(instance, "/shared/y").stat.getAversion()).isEqualTo(2);
      assertThat(deployment.node(instance, "/shared/z")).isNull();
    }
    assertThat(client.getACL("/shared/y", null)).isEqualTo(Ids.OPEN_ACL_UNSAFE);
    String numbered =
        client.create("/shared/n-", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT_SEQUENTIAL);
    assertThat(numbered).isEqualTo("/shared/n-0000000003");
    assertThat(repair().findDifferences("/")).isEmpty();
  }

  @Test
  void oneSubtreeIsRepairedAlone() throws Exception {
    foreignWriters.get(2).setData("/shared/x", FOREIGN, -1);
    foreignWriters.get(2).setData("/shared/y", FOREIGN, -1);

    assertThat(repair().repair("/shared/x", "3")).isEmpty();

    assertThat(node(0, "/shared/x").getData()).containsExactly(9);
    assertThat(node(0, "/shared/y").getData()).containsExactly(1);
    assertThat(repair().findDifferences("/"))
        .extracting(QueueRepair.Difference::subject)
        .containsExactly("/shared/y");
  }

  @Test
  void whatTheChosenEnsembleDoesNotHoldRemains() throws Exception {
    try (var other = new TestDeployment(directory.resolve("other"), 3, "/pair 2 3");
        ZooKeeper user = TestDeployment.client(other.serve(true));
        ZooKeeper foreign =
            TestDeployment.client(
                "127.0.0.1:" + other.instances().get(2).port(), 20_000, event -> {})) {
      user.create("/pair", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
      foreign.setData("/pair", FOREIGN, -1);
      var repair = new QueueRepair(other.deployment(), Duration.ofSeconds(20), List.of());

      assertThat(repair.repair("/", "1"))
          .extracting(QueueRepair.Difference::subject)
          .containsExactly("/pair");
      assertThat(repair.repair("/", "2")).isEmpty();
    }
  }

  @Test
  void twoRepairsAtOnceAreRefused() throws Exception {
    foreignWriters
        .get(0)
        .create(
            ZooFencePaths.LEADERS + "/7/n-repair-",
            null,
            Ids.OPEN_ACL_UNSAFE,
            CreateMode.EPHEMERAL);

    assertThatThrownBy(() -> repair().repair("/", "1"))
        .isInstanceOf(DeploymentException.class)
        .hasMessageContaining("another repair is active");
    assertThatThrownBy(() -> repair().repair("/", "paris"))
        .hasMessageContaining("no ensemble is named 'paris'; known are 1, 2, 3");
  }

  @Test
  void missingCredentialsAreReportedWithThePath() throws Exception {
    client.addAuthInfo("digest", "a:b".getBytes());
    client.create("/shared/secret", null, Ids.CREATOR_ALL_ACL, CreateMode.PERSISTENT);

    assertThatThrownBy(() -> repair().findDifferences("/"))
        .isInstanceOf(DeploymentException.class)
        .hasMessageContaining("do not permit to read or change /shared/secret");
    var credential = new QueueCommand.Credential("digest", ByteBuffer.wrap("a:b".getBytes()));
    assertThat(repair(credential).findDifferences("/")).isEmpty();
  }

  @Test
  void oneSubtreeIsNotRepairedWhileItsQueueIsStopped() throws Exception {
    stopQueue();

    assertThatThrownBy(() -> repair().repair("/shared/x", "1"))
        .isInstanceOf(DeploymentException.class)
        .hasMessageContaining("repair / instead of /shared/x");

    assertThat(deployment.node(1, "/shared/x")).isNull();
    assertThat(repair().repair("/", "1")).isEmpty();
    assertQueueContinues();
  }

  /** A deployment without a leader, whose queue therefore keeps every command. */
  private final class Halted implements AutoCloseable {
    private final TestDeployment own;
    private final List<ZooKeeper> writers = new ArrayList<>();
    private final ZooKeeper user;

    Halted() throws Exception {
      own = new TestDeployment(directory.resolve("halted"), 3, "/own 2");
      for (var instance : own.instances()) {
        ZooKeeper writer =
            TestDeployment.client("127.0.0.1:" + instance.port(), 20_000, event -> {});
        writers.add(writer);
        for (String path :
            List.of("/shared", "/own", ZooFencePaths.APPLIED + "/7", slots() + "/acl")) {
          writer.create(path, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        }
      }
      user = TestDeployment.client(own.serve(false));
    }

    private static String slots() {
      return ZooFencePaths.APPLIED + "/7";
    }

    /** The number of the only command in the queue, when it has arrived. */
    private long awaitCommand() {
      String queue = ZooFencePaths.QUEUES + "/7";
      return await()
          .atMost(Duration.ofSeconds(60))
          .ignoreExceptionsInstanceOf(KeeperException.class)
          .until(() -> writers.get(0).getChildren(queue, false), names -> names.size() == 1)
          .stream()
          .mapToLong(name -> Long.parseLong(name.substring("c-".length())))
          .sum();
    }

    QueueRepair repair() {
      return new QueueRepair(own.deployment(), Duration.ofSeconds(20), List.of());
    }

    DataNode node(int instance, String path) {
      return Objects.requireNonNull(own.node(instance, path), path + " at " + instance);
    }

    @Override
    public void close() throws Exception {
      user.close();
      for (ZooKeeper writer : writers) {
        writer.close();
      }
      own.close();
    }
  }

  /** A transaction across the instances of which instance 2 has executed its part. */
  private static CompletableFuture<Integer> beginTransaction(Halted halted) throws Exception {
    var answer = new CompletableFuture<Integer>();
    List<Op> operations =
        List.of(Op.setData("/shared", FOREIGN, -1), Op.setData("/own", FOREIGN, -1));
    halted.user.multi(operations, (code, path, context, results) -> answer.complete(code), null);
    long number = halted.awaitCommand();
    var part = new ArrayList<>(operations);
    part.add(
        Op.create(
            Halted.slots() + "/s" + number % QueueReplica.SLOTS,
            new DedupSlot(number, List.of(), List.of()).bytes(),
            Ids.OPEN_ACL_UNSAFE,
            CreateMode.PERSISTENT));
    halted.writers.get(1).multi(part);
    return answer;
  }

  private static void assertDoneOnce(Halted halted, CompletableFuture<Integer> answer)
      throws Exception {
    halted.own.serve(true);
    assertThat(answer.get(90, TimeUnit.SECONDS)).isZero();
    for (int instance = 0; instance < 3; instance++) {
      assertThat(halted.node(instance, "/shared").stat.getVersion()).isEqualTo(1);
      assertThat(halted.node(instance, "/shared").getData()).isEqualTo(FOREIGN);
    }
    assertThat(halted.node(1, "/own").stat.getVersion()).isEqualTo(1);
    assertThat(halted.node(1, "/own").getData()).isEqualTo(FOREIGN);
  }

  @Test
  void aTransactionAcrossInstancesIsNotCutInTwo() throws Exception {
    try (var halted = new Halted()) {
      CompletableFuture<Integer> answer = beginTransaction(halted);

      for (String source : List.of("1", "3")) {
        assertThatThrownBy(() -> halted.repair().repair("/", source))
            .isInstanceOf(DeploymentException.class)
            .hasMessageContaining("changes znodes of 2 that " + source + " does not hold");
      }

      assertThat(halted.node(0, "/shared").stat.getVersion()).isZero();
      assertDoneOnce(halted, answer);
    }
  }

  @Test
  void theInstanceThatHasAllOfATransactionCompletesIt() throws Exception {
    try (var halted = new Halted()) {
      CompletableFuture<Integer> answer = beginTransaction(halted);

      assertThat(halted.repair().repair("/", "2")).isEmpty();

      assertDoneOnce(halted, answer);
    }
  }

  @Test
  void aChangeOfAnAccessListThatIsRevertedIsDoneAgain() throws Exception {
    try (var halted = new Halted()) {
      var answer = new CompletableFuture<Integer>();
      halted.user.setACL(
          "/shared", FEW_RIGHTS, -1, (code, path, context, stat) -> answer.complete(code), null);
      long number = halted.awaitCommand();
      ZooKeeper canonical = halted.writers.get(0);
      canonical.setData(Halted.slots() + "/acl", new AclIntent(number, 0).bytes(), -1);
      canonical.setACL("/shared", FEW_RIGHTS, 0);

      assertThat(halted.repair().repair("/", "2")).isEmpty();
      assertThat(canonical.getACL("/shared", null)).isEqualTo(Ids.OPEN_ACL_UNSAFE);
      halted.own.serve(true);

      assertThat(answer.get(90, TimeUnit.SECONDS)).isZero();
      for (ZooKeeper writer : halted.writers) {
        assertThat(writer.getACL("/shared", null)).isEqualTo(FEW_RIGHTS);
      }
    }
  }
}
