package io.ensemble.zoofence.queue.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.zoofence.TestDeployment;
import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.deployment.Deployment;
import io.ensemble.zoofence.proxy.ProxyNode;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.server.RequestInterceptor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * An ensemble ends a session, or removes a container, between two steps of a transaction that spans
 * ensembles. The transaction takes effect completely or not at all, and its queue continues.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
final class NativeRemovalIT {
  private static final byte[] DATA = {1};

  @TempDir Path directory;

  private TestDeployment deployment;
  private ZooKeeper client;
  private ZooKeeper owner;

  @BeforeEach
  void start() throws Exception {
    deployment = new TestDeployment(directory, 3, "/one 1;/two 2");
    ProxyNode node = deployment.serve(false);
    client = TestDeployment.client(node);
    owner = TestDeployment.client(node);
  }

  @AfterEach
  void stop() throws Exception {
    owner.close();
    client.close();
    deployment.close();
  }

  private CommandExecutor lead() {
    Deployment joined = deployment.deployment();
    return new CommandExecutor(joined.instances(), joined.admin(), joined::flattening);
  }

  private void createFences(String... parents) throws Exception {
    client.create("/shared", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    for (String parent : parents) {
      client.create(parent, null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
      owner.create(parent + "/l", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
    }
  }

  private void expireOwner(int instance, String fence) {
    long session =
        Objects.requireNonNull(deployment.node(instance, fence), fence).stat.getEphemeralOwner();
    RequestInterceptor.expire(deployment.instances().get(instance).server(), session);
  }

  /** Whether the operations are the test of a command's part. */
  private static boolean isTest(List<Op> operations) {
    Op last = operations.get(operations.size() - 1);
    return last.getType() == OpCode.check && last.getPath().equals(ZooFencePaths.NEVER);
  }

  /** Whether the operations are a command's part, with its slot. */
  private static boolean isPart(List<Op> operations) {
    Op last = operations.get(operations.size() - 1);
    return last.getType() == OpCode.setData
        && last.getPath().startsWith(ZooFencePaths.APPLIED + "/")
        && operations.size() > 2;
  }

  private static boolean concerns(List<Op> operations, String path) {
    return operations.stream().anyMatch(operation -> operation.getPath().startsWith(path));
  }

  private void assertVersions(int version) throws Exception {
    for (int instance = 0; instance < 3; instance++) {
      assertThat(Objects.requireNonNull(deployment.node(instance, "/shared")).stat.getVersion())
          .as("version at instance %s", instance)
          .isEqualTo(version);
    }
    client.setData("/shared", DATA, version); // The queue continues.
  }

  @Test
  void aFenceThatExpiresAfterTheTestRefusesTheTransaction() throws Exception {
    try (CommandExecutor leader = lead()) {
      createFences("/two");
      var isFirst = new AtomicBoolean(true);
      RequestInterceptor.install(
          deployment.instances().get(1).server(),
          operations -> {
            if (isPart(operations) && concerns(operations, "/two/l") && isFirst.getAndSet(false)) {
              expireOwner(1, "/two/l");
            }
            return true;
          });

      assertThatThrownBy(
              () -> client.multi(List.of(Op.check("/two/l", 0), Op.setData("/shared", DATA, 0))))
          .isInstanceOf(KeeperException.NoNodeException.class);

      assertThat(isFirst).isFalse();
      assertVersions(0);
    }
  }

  @Test
  void aFenceThatExpiresBeforeTheTestRefusesTheTransaction() throws Exception {
    try (CommandExecutor leader = lead()) {
      createFences("/two");
      RequestInterceptor.install(
          deployment.instances().get(1).server(),
          operations -> {
            if (isTest(operations) && deployment.node(1, "/two/l") != null) {
              expireOwner(1, "/two/l");
            }
            return true;
          });

      assertThatThrownBy(
              () -> client.multi(List.of(Op.check("/two/l", 0), Op.setData("/shared", DATA, 0))))
          .isInstanceOf(KeeperException.NoNodeException.class);

      assertVersions(0);
    }
  }

  @Test
  void aFenceThatExpiresAfterTheDecisionDoesNotUndoIt() throws Exception {
    try (CommandExecutor leader = lead()) {
      createFences("/one", "/two");
      RequestInterceptor.install(
          deployment.instances().get(1).server(),
          operations -> {
            if (isPart(operations) && concerns(operations, "/two/l")) {
              assertThat(deployment.node(0, "/shared").stat.getVersion()).isEqualTo(1);
              expireOwner(1, "/two/l");
            }
            return true;
          });

      client.multi(
          List.of(
              Op.check("/one/l", 0),
              Op.setData("/two/l", DATA, 0),
              Op.setData("/shared", DATA, 0)));

      assertThat(client.exists("/two/l", false)).isNull();
      assertVersions(1);
    }
  }

  @Test
  void theNextLeaderCompletesADecidedTransaction() throws Exception {
    CommandExecutor leader = lead();
    CommandExecutor next = null;
    try {
      createFences("/one", "/two");
      next = lead();
      var isFirst = new AtomicBoolean(true);
      RequestInterceptor.install(
          deployment.instances().get(1).server(),
          operations -> {
            boolean isHeld =
                isPart(operations) && concerns(operations, "/two/l") && isFirst.getAndSet(false);
            if (isHeld) {
              expireOwner(1, "/two/l");
              new Thread(leader::close, "end of the leader").start();
            }
            return !isHeld;
          });

      client.multi(
          List.of(Op.check("/one/l", 0), Op.check("/two/l", 0), Op.setData("/shared", DATA, 0)));

      assertThat(isFirst).isFalse();
      assertVersions(1);
    } finally {
      leader.close();
      if (next != null) {
        next.close();
      }
    }
  }

  @Test
  void aContainerThatIsRemovedAfterTheDecisionHoldsTheNewZnode() throws Exception {
    try (CommandExecutor leader = lead()) {
      createFences("/one", "/two");
      for (String container : List.of("/one/c", "/two/c")) {
        client.create(container, DATA, Ids.OPEN_ACL_UNSAFE, CreateMode.CONTAINER);
      }
      RequestInterceptor.install(
          deployment.instances().get(1).server(),
          operations -> {
            if (isPart(operations) && concerns(operations, "/two/c")) {
              RequestInterceptor.removeContainer(deployment.instances().get(1).server(), "/two/c");
            }
            return true;
          });

      client.multi(
          List.of(
              Op.create("/one/c/x", DATA, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT),
              Op.create("/two/c/x", DATA, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT),
              Op.setData("/shared", DATA, 0)));

      assertThat(client.getData("/one/c/x", false, null)).isEqualTo(DATA);
      assertThat(client.getData("/two/c/x", false, null)).isEqualTo(DATA);
      assertVersions(1);
    }
  }

  @Test
  void anEphemeralZnodeOfFewerEnsemblesIsRemovedInATransactionOfMore() throws Exception {
    try (var other = new TestDeployment(directory.resolve("other"), 3, "/pair 1 2;/three 3");
        ZooKeeper user = TestDeployment.client(other.serve(true))) {
      for (String path : List.of("/pair", "/three", "/three/x")) {
        user.create(path, null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
      }
      user.create("/pair/e", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);

      user.multi(List.of(Op.delete("/pair/e", 0), Op.setData("/three/x", DATA, 0)));
      user.multi(
          List.of(
              Op.create("/pair/f", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL),
              Op.setData("/three/x", DATA, 1)));
      user.delete("/pair/f", 0);
      user.multi(
          List.of(
              Op.create("/pair/f", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL),
              Op.setData("/three/x", DATA, 2)));

      assertThat(user.exists("/pair/e", false)).isNull();
      assertThat(user.exists("/pair/f", false)).isNotNull();
      assertThat(other.instances().get(2).server().getZKDatabase().getNode(ZooFencePaths.OWNED))
          .satisfies(owned -> assertThat(owned.getChildren()).isEmpty());
    }
  }
}
