package io.ensemble.check.zoofence;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.check.process.CommandException;
import io.ensemble.check.znodes.ZnodeLayout;
import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.flattening.FlatteningEpoch;
import io.ensemble.zoofence.link.InstanceServers;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Reads the instances of a deployment directly, not through the proxies; only trials should do
 * that. Used by one thread.
 */
final class InstanceInspector implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 20_000;
  private static final long PAUSE_MILLIS = 100;
  private static final int MOST_TRIES = 5;

  /** The content of an instance at a path. */
  private record ZnodeContent(
      String data, int version, int childrenVersion, List<String> children) {

    String words() {
      return "'%s' of version %d, %d children of version %d"
          .formatted(data, version, children.size(), childrenVersion);
    }
  }

  private interface ZooKeeperRead<T> {
    T read() throws KeeperException, InterruptedException;
  }

  private final List<InstanceServers> servers;
  private final List<ZooKeeper> clients = new ArrayList<>();
  private final ZooKeeper admin;
  private final CountDownLatch never = new CountDownLatch(1);

  /** Connects to all instances. */
  InstanceInspector(List<InstanceServers> servers, InstanceServers admin)
      throws InterruptedException {
    this.servers = servers;
    for (InstanceServers one : servers) {
      clients.add(connected(one));
    }
    this.admin = connected(admin);
  }

  private ZooKeeper connected(InstanceServers to) throws InterruptedException {
    CountDownLatch connected = new CountDownLatch(1);
    try {
      ZooKeeper client =
          new ZooKeeper(
              to.connectString(),
              TIMEOUT_MILLIS,
              event -> {
                if (event.getState() == KeeperState.SyncConnected) {
                  connected.countDown();
                }
              });
      if (connected.await(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)) {
        return client;
      }
      client.close();
    } catch (IOException e) {
      throw new CommandException("no client for " + to + ": " + e.getMessage(), e);
    }
    close();
    throw new CommandException("no server answers of " + to);
  }

  private static <T> @Nullable T read(ZooKeeperRead<T> reading) throws InterruptedException {
    int left = MOST_TRIES;
    while (true) {
      try {
        return reading.read();
      } catch (KeeperException.NoNodeException e) {
        return null;
      } catch (KeeperException.ConnectionLossException e) {
        if (--left == 0) {
          throw silent(e);
        }
      } catch (KeeperException e) {
        throw silent(e);
      }
    }
  }

  private static CommandException silent(KeeperException e) {
    return new CommandException("an instance does not answer: " + e.getMessage(), e);
  }

  /** The flattening that the deployment has stored. */
  Flattening flattening() throws InterruptedException {
    byte[] rules = read(() -> admin.getData(ZooFencePaths.FLATTENING, false, null));
    if (rules == null) {
      throw new CommandException("the administrative ensemble has no deployment of ZooFence");
    }
    return FlatteningEpoch.read(rules, servers.stream().map(InstanceServers::name).toList())
        .flattening();
  }

  /** Waits until the commands in the queues are executed, and no ephemeral znode is left. */
  void awaitIdle(ZnodeLayout layout, Duration longest, List<String> problems)
      throws InterruptedException {
    long end = System.nanoTime() + longest.toNanos();
    Set<String> queued = queued();
    Set<String> ephemeral = ephemeral(layout);
    while (!(queued.isEmpty() && ephemeral.isEmpty()) && System.nanoTime() < end) {
      never.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
      queued.retainAll(queued());
      ephemeral.retainAll(ephemeral(layout));
    }
    if (!queued.isEmpty()) {
      problems.add("commands remain in the queues: " + sample(queued));
    }
    if (!ephemeral.isEmpty()) {
      problems.add("ephemeral znodes of ended sessions remain: " + sample(ephemeral));
    }
  }

  private static String sample(Set<String> all) {
    List<String> first = all.stream().sorted().limit(5).toList();
    return all.size() + ", for example " + String.join(" ", first);
  }

  private Set<String> queued() throws InterruptedException {
    Set<String> commands = new HashSet<>();
    for (String queue : children(admin, ZooFencePaths.QUEUES)) {
      for (String command : children(admin, ZooFencePaths.QUEUES + "/" + queue)) {
        commands.add(queue + "/" + command);
      }
    }
    return commands;
  }

  private Set<String> ephemeral(ZnodeLayout layout) throws InterruptedException {
    Set<String> left = new HashSet<>();
    for (ZnodeLayout.LayoutNode under : layout.live()) {
      for (int instance = 0; instance < clients.size(); instance++) {
        for (String child : children(clients.get(instance), under.path())) {
          left.add(under.path() + "/" + child + "@" + servers.get(instance).name());
        }
      }
    }
    return left;
  }

  private static List<String> children(ZooKeeper at, String path) throws InterruptedException {
    List<String> children = read(() -> at.getChildren(path, false));
    return children == null ? List.of() : children;
  }

  /** Compares the content of a path at all instances that hold it, and reports differences. */
  void compare(String path, Flattening flattening, List<String> problems)
      throws InterruptedException {
    List<Integer> holders = flattening.holders(path).numbers();
    ZnodeContent first = contentAt(holders.get(0), path);
    for (int other : holders.subList(1, holders.size())) {
      ZnodeContent held = contentAt(other, path);
      if (first == null ? held != null : held == null || !first.equals(held)) {
        problems.add(
            "instances differ at %s: %s has %s, %s has %s"
                .formatted(
                    path,
                    servers.get(holders.get(0)).name(),
                    first == null ? "none" : first.words(),
                    servers.get(other).name(),
                    held == null ? "none" : held.words()));
        return;
      }
    }
    if (first != null) {
      for (String child : first.children()) {
        compare(path + "/" + child, flattening, problems);
      }
    }
  }

  private @Nullable ZnodeContent contentAt(int instance, String path) throws InterruptedException {
    ZooKeeper at = clients.get(instance);
    Stat stat = new Stat();
    byte[] data = read(() -> at.getData(path, false, stat));
    return data == null
        ? null
        : new ZnodeContent(
            new String(data, UTF_8),
            stat.getVersion(),
            stat.getCversion(),
            children(at, path).stream().sorted().toList());
  }

  @Override
  public void close() {
    clients.forEach(InstanceInspector::close);
    close(admin);
  }

  private static void close(@Nullable ZooKeeper client) {
    try {
      if (client != null) {
        client.close();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
