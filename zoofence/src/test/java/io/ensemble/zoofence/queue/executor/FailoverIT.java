package io.ensemble.zoofence.queue.executor;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.zoofence.deployment.Deployment;
import io.ensemble.zoofence.embedded.EmbeddedInstance;
import io.ensemble.zoofence.link.InstanceServers;
import io.ensemble.zoofence.proxy.ProxyNode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.server.DataNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The leader of a queue ends under load: no command is lost or executed twice. */
final class FailoverIT {
  private static final int CALLS = 1_500;
  private static final int CHANGES = 5;
  private static final int UNDER_WAY = 40;

  @TempDir Path directory;

  @Test
  void theNextLeaderLosesAndRepeatsNothing() throws Exception {
    var instances = new ArrayList<EmbeddedInstance>();
    var servers = new ArrayList<InstanceServers>();
    for (int i = 0; i < 3; i++) {
      instances.add(EmbeddedInstance.start(Files.createDirectory(directory.resolve("i" + i)), 0));
      servers.add(instances.get(i).servers(Integer.toString(i + 1)));
    }
    Deployment deployment = Deployment.join(servers, servers.get(0), null, Duration.ofSeconds(20));
    CommandExecutor leader = executor(deployment);
    try (ProxyNode node =
            ProxyNode.serve(
                deployment,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                false,
                Duration.ofSeconds(30));
        ZooKeeper client = client(node)) {
      client.create("/counter", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
      client.create("/names", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
      var counted = new AtomicInteger();
      var failed = new ConcurrentLinkedQueue<String>();
      var names = new ConcurrentSkipListSet<String>();
      var permits = new Semaphore(UNDER_WAY);

      for (int call = 0; call < CALLS; call++) {
        permits.acquire();
        if (call % 3 == 0) {
          client.create(
              "/names/n-",
              null,
              Ids.OPEN_ACL_UNSAFE,
              CreateMode.PERSISTENT_SEQUENTIAL,
              (code, path, context, name) -> {
                if (code != 0) {
                  failed.add("create " + code);
                } else if (!names.add(name)) {
                  failed.add("twice " + name);
                }
                permits.release();
              },
              null);
        } else {
          client.setData(
              "/counter",
              new byte[] {(byte) call},
              -1,
              (code, path, context, stat) -> {
                if (code == 0) {
                  counted.incrementAndGet();
                } else {
                  failed.add("setData " + code);
                }
                permits.release();
              },
              null);
        }
        if (call % (CALLS / CHANGES) == CALLS / CHANGES / 2) {
          // A candidate is ready; the leader ends with commands in flight.
          CommandExecutor next = executor(deployment);
          leader.close();
          leader = next;
        }
      }
      assertThat(permits.tryAcquire(UNDER_WAY, 60, TimeUnit.SECONDS)).as("all are told").isTrue();

      assertThat(failed).isEmpty();
      for (EmbeddedInstance instance : instances) {
        assertThat(node(instance, "/counter").stat.getVersion()).isEqualTo(counted.get());
        assertThat(children(instance, "/names")).isEqualTo(new TreeSet<>(names));
      }
    } finally {
      leader.close();
      instances.forEach(EmbeddedInstance::close);
    }
  }

  private static CommandExecutor executor(Deployment deployment) {
    return new CommandExecutor(deployment.instances(), deployment.admin(), deployment::flattening);
  }

  private static DataNode node(EmbeddedInstance instance, String path) {
    return instance.server().getZKDatabase().getNode(path);
  }

  private static TreeSet<String> children(EmbeddedInstance instance, String path) {
    var children = new TreeSet<String>();
    for (String child : List.copyOf(node(instance, path).getChildren())) {
      children.add(path + "/" + child);
    }
    return children;
  }

  private static ZooKeeper client(ProxyNode node) throws Exception {
    var connected = new CountDownLatch(1);
    var made =
        new ZooKeeper(
            "127.0.0.1:" + node.address().getPort(), 30_000, event -> connected.countDown());
    assertThat(connected.await(60, TimeUnit.SECONDS)).isTrue();
    return made;
  }
}
