package io.ensemble.zoofence.deployment;

import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.flattening.FlatteningEpoch;
import io.ensemble.zoofence.flattening.FlatteningText;
import io.ensemble.zoofence.link.InstanceServers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * A number of instances under one administrative ensemble. A deployment is founded once; every
 * process that joins later has to name the same instances.
 *
 * @param instances the instances, in the order in which the flattening numbers them
 * @param epoch the flattening epoch at the time when the deployment was joined
 */
public record Deployment(
    List<InstanceServers> instances, InstanceServers admin, FlatteningEpoch epoch) {
  private static final List<String> OF_INSTANCE =
      List.of(
          ZooFencePaths.ROOT,
          ZooFencePaths.GUARD,
          ZooFencePaths.OWNERS,
          ZooFencePaths.APPLIED,
          ZooFencePaths.OWNED,
          ZooFencePaths.EPOCH);

  private static final List<String> OF_ADMIN =
      List.of(
          ZooFencePaths.ADMIN,
          ZooFencePaths.LIVE,
          ZooFencePaths.SESSIONS,
          ZooFencePaths.EPHEMERALS,
          ZooFencePaths.UNUSED,
          ZooFencePaths.QUEUES,
          ZooFencePaths.GRANTS,
          ZooFencePaths.LEADERS,
          ZooFencePaths.MOVES);

  public Deployment {
    instances = List.copyOf(instances);
  }

  /** The flattening at the time when the deployment was joined. */
  public Flattening flattening() {
    return epoch.flattening();
  }

  /**
   * Joins the deployment of these ensembles, and founds the deployment if there is none. Repeating
   * the call is safe.
   *
   * @param rules the flattening's text for a new deployment; null keeps every path at all instances
   *     of a new deployment, and accepts the flattening of an existing one
   * @param patience how long to wait for a connection to each ensemble
   * @throws DeploymentException if an ensemble cannot be reached, or belongs to another deployment
   */
  public static Deployment join(
      List<InstanceServers> instances,
      InstanceServers admin,
      @Nullable String rules,
      Duration patience)
      throws InterruptedException {
    List<String> names = instances.stream().map(InstanceServers::name).toList();
    Flattening wanted =
        rules == null ? Flattening.replicated(instances.size()) : FlatteningText.read(rules, names);
    String identity = UUID.randomUUID() + " " + String.join(" ", names);
    FlatteningEpoch kept;
    try (ZooKeeper at = open(admin, patience)) {
      for (String path : OF_ADMIN) {
        make(at, path, "");
      }
      identity =
          agreed(at, ZooFencePaths.ADMIN_DEPLOYMENT, identity, "administrative ensemble", names);
      make(
          at,
          ZooFencePaths.FLATTENING,
          new String(FlatteningEpoch.first(wanted).bytes(), StandardCharsets.UTF_8));
      kept = FlatteningEpoch.read(at.getData(ZooFencePaths.FLATTENING, false, null), names);
      if (rules != null && !kept.flattening().equals(wanted)) {
        throw new DeploymentException(
            "the deployment has another flattening; move subtrees one by one to change it:\n"
                + kept.flattening(),
            null);
      }
    } catch (KeeperException e) {
      throw new DeploymentException(
          "the administrative ensemble " + admin + " rejected the request", e);
    }
    for (InstanceServers instance : instances) {
      join(instance, identity, names, patience);
    }
    return new Deployment(instances, admin, kept);
  }

  /**
   * Reads an existing deployment, and changes nothing.
   *
   * @throws DeploymentException if there is no deployment, or it has other instances
   */
  public static Deployment existing(
      List<InstanceServers> instances, InstanceServers admin, Duration patience)
      throws InterruptedException {
    List<String> names = instances.stream().map(InstanceServers::name).toList();
    try (ZooKeeper at = open(admin, patience)) {
      String kept = text(at, ZooFencePaths.ADMIN_DEPLOYMENT);
      same(kept, "administrative ensemble", names);
      byte[] flattening = at.getData(ZooFencePaths.FLATTENING, false, null);
      return new Deployment(instances, admin, FlatteningEpoch.read(flattening, names));
    } catch (KeeperException.NoNodeException e) {
      throw new DeploymentException("no deployment has the administrative ensemble " + admin, e);
    } catch (KeeperException e) {
      throw new DeploymentException(
          "the administrative ensemble " + admin + " rejected the request", e);
    }
  }

  private static void join(
      InstanceServers instance, String identity, List<String> names, Duration patience)
      throws InterruptedException {
    try (ZooKeeper at = open(instance, patience)) {
      for (String path : OF_INSTANCE) {
        make(at, path, "");
      }
      String kept =
          agreed(at, ZooFencePaths.DEPLOYMENT, identity + " = " + instance.name(), null, names);
      if (!kept.equals(identity + " = " + instance.name())) {
        throw new DeploymentException(
            "instance "
                + instance
                + " belongs to another deployment, or under another name: "
                + kept,
            null);
      }
    } catch (KeeperException e) {
      throw new DeploymentException("instance " + instance + " refused", e);
    }
  }

  private static String agreed(
      ZooKeeper at, String path, String identity, @Nullable String where, List<String> names)
      throws KeeperException, InterruptedException {
    make(at, path, identity);
    String kept = text(at, path);
    if (where != null) {
      same(kept, where, names);
    }
    return kept;
  }

  private static void same(String kept, String where, List<String> names) {
    String tail = kept.substring(kept.indexOf(' ') + 1);
    if (!tail.equals(String.join(" ", names))) {
      throw new DeploymentException(
          "the " + where + " is that of instances " + tail + ", not of " + names, null);
    }
  }

  static void make(ZooKeeper at, String path, String data)
      throws KeeperException, InterruptedException {
    try {
      at.create(
          path,
          data.getBytes(StandardCharsets.UTF_8),
          ZooDefs.Ids.OPEN_ACL_UNSAFE,
          CreateMode.PERSISTENT);
    } catch (KeeperException.NodeExistsException e) {
      // Another process has created the znode; the result is the same.
    }
  }

  private static String text(ZooKeeper at, String path)
      throws KeeperException, InterruptedException {
    return new String(at.getData(path, false, null), StandardCharsets.UTF_8);
  }

  static ZooKeeper open(InstanceServers servers, Duration patience) throws InterruptedException {
    var connected = new CountDownLatch(1);
    try {
      var made =
          new ZooKeeper(
              servers.connectString(),
              (int) Math.max(4000, patience.toMillis()),
              event -> {
                if (event.getState() == KeeperState.SyncConnected) {
                  connected.countDown();
                }
              });
      if (connected.await(patience.toMillis(), TimeUnit.MILLISECONDS)) {
        return made;
      }
      made.close();
    } catch (IOException e) {
      throw new DeploymentException("no connection can be opened to " + servers, e);
    }
    throw new DeploymentException(
        "no server of " + servers + " answered in " + patience.toMillis() + " ms", null);
  }
}
