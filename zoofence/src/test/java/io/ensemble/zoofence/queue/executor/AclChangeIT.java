package io.ensemble.zoofence.queue.executor;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.zoofence.TestDeployment;
import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.deployment.Deployment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.server.RequestInterceptor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A change of an access list whose leader dies before it is recorded is done once. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
final class AclChangeIT {
  private static final List<ACL> CREATE_ONLY =
      new ArrayList<>(List.of(new ACL(ZooDefs.Perms.CREATE, Ids.ANYONE_ID_UNSAFE)));

  @TempDir Path directory;

  private final AtomicBoolean isDead = new AtomicBoolean();
  private TestDeployment deployment;
  private ZooKeeper client;
  private CommandExecutor leader;
  private CommandExecutor next;

  @BeforeEach
  void start() throws Exception {
    deployment = new TestDeployment(directory, 2, "");
    client = TestDeployment.client(deployment.serve(false));
    leader = execute();
    client.create("/shared", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    next = execute();
  }

  @AfterEach
  void stop() throws Exception {
    client.close();
    leader.close();
    next.close();
    deployment.close();
  }

  private CommandExecutor execute() {
    Deployment joined = deployment.deployment();
    return new CommandExecutor(joined.instances(), joined.admin(), joined::flattening);
  }

  /** The leader dies when it records the change: the record arrives at no instance. */
  private void killLeaderAtSlot() {
    for (var instance : deployment.instances()) {
      var isFirst = new AtomicBoolean(true);
      RequestInterceptor.install(
          instance.server(),
          operations -> {
            boolean isLost = isSlot(operations) && isFirst.getAndSet(false);
            if (isLost && isDead.compareAndSet(false, true)) {
              new Thread(leader::close, "end of the leader").start();
            }
            return !isLost;
          });
    }
  }

  private static boolean isSlot(List<Op> operations) {
    return operations.size() == 2
        && operations.get(1).getPath().startsWith(ZooFencePaths.APPLIED + "/")
        && operations.get(1).getPath().contains("/s");
  }

  private void assertChangedOnce() {
    assertThat(isDead).isTrue();
    for (int instance = 0; instance < 2; instance++) {
      assertThat(Objects.requireNonNull(deployment.node(instance, "/shared")).stat.getAversion())
          .isEqualTo(1);
    }
  }

  @Test
  void theChangeOfAnExpectedVersionIsNotRefusedAsASecondOne() throws Exception {
    client.setData("/shared", new byte[1], 0);
    killLeaderAtSlot();

    Stat stat = client.setACL("/shared", Ids.READ_ACL_UNSAFE, 0);

    assertThat(stat.getAversion()).isEqualTo(1);
    assertThat(stat.getVersion()).isEqualTo(1);

    assertChangedOnce();
    assertThatThrownBy(() -> client.setACL("/shared", Ids.READ_ACL_UNSAFE, 1))
        .isInstanceOf(KeeperException.NoAuthException.class);
  }

  @Test
  void theChangeOfAnyVersionIsNotRepeated() throws Exception {
    killLeaderAtSlot();

    client.setACL("/shared", CREATE_ONLY, -1);

    assertChangedOnce();
  }

  @Test
  void anotherVersionIsRefused() throws Exception {
    assertThatThrownBy(() -> client.setACL("/shared", Ids.OPEN_ACL_UNSAFE, 3))
        .isInstanceOf(KeeperException.BadVersionException.class);

    assertThat(client.setACL("/shared", Ids.OPEN_ACL_UNSAFE, 0).getAversion()).isEqualTo(1);
    assertThat(client.setACL("/shared", Ids.OPEN_ACL_UNSAFE, -1).getAversion()).isEqualTo(2);
  }

  @Test
  void theVersionIsReadAfterASyncOfTheSameSession() throws Exception {
    client.addAuthInfo("digest", "a:b".getBytes(UTF_8)); // Another session than the leader's.
    var typesBySession = new ConcurrentHashMap<String, Queue<Integer>>();
    for (var instance : deployment.instances()) {
      RequestInterceptor.observe(
          instance.server(),
          (session, type) ->
              typesBySession
                  .computeIfAbsent(
                      instance.port() + " " + session, key -> new ConcurrentLinkedQueue<>())
                  .add(type));
    }

    client.setACL("/shared", Ids.OPEN_ACL_UNSAFE, 0);

    int reads = 0;
    for (Queue<Integer> types : typesBySession.values()) {
      int former = OpCode.error;
      for (int type : types) {
        if (type == OpCode.getACL) {
          assertThat(former).isEqualTo(OpCode.sync);
          reads++;
        }
        former = type == OpCode.ping ? former : type;
      }
    }
    assertThat(reads).isGreaterThanOrEqualTo(2);
  }
}
