package io.ensemble.zoofence.deployment;

import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.flattening.FlatteningEpoch;
import io.ensemble.zoofence.flattening.FlatteningText;
import io.ensemble.zoofence.link.InstanceServers;
import io.ensemble.zoofence.queue.AdminAccess;
import io.ensemble.zoofence.queue.QueueCommand;
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
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * A number of instances under one administrative ensemble. A deployment is founded once; every
 * process that joins later has to name the same instances.
 *
 * @param instances the instances, in the order in which the flattening numbers them
 * @param epoch the flattening epoch at the time when the deployment was joined
 * @param access the access of all its processes to the administrative ensemble
 */
public record Deployment(
    List<InstanceServers> instances,
    InstanceServers admin,
    FlatteningEpoch epoch,
    AdminAccess access) {
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
   * Joins the deployment of these ensembles, whose administrative ensemble every client can read.
   * See {@link #join(List, InstanceServers, String, Duration, AdminAccess)}.
   */
  public static Deployment join(
      List<InstanceServers> instances,
      InstanceServers admin,
      @Nullable String rules,
      Duration connectTimeout)
      throws InterruptedException {
    return join(instances, admin, rules, connectTimeout, AdminAccess.OPEN);
  }

  /**
   * Joins the deployment of these ensembles, and founds the deployment if there is none. Repeating
   * the call is safe.
   *
   * @param rules the flattening's text for a new deployment; null keeps every path at all instances
   *     of a new deployment, and accepts the flattening of an existing one
   * @param connectTimeout how long to wait for a connection to each ensemble
   * @param access with which the deployment is founded; every process that joins later has to have
   *     the same
   * @throws DeploymentException if an ensemble cannot be reached, or belongs to another deployment,
   *     or the deployment was founded with another access
   */
  public static Deployment join(
      List<InstanceServers> instances,
      InstanceServers admin,
      @Nullable String rules,
      Duration connectTimeout,
      AdminAccess access)
      throws InterruptedException {
    List<String> names = instances.stream().map(InstanceServers::name).toList();
    Flattening flattening =
        rules == null ? Flattening.replicated(instances.size()) : FlatteningText.read(rules, names);
    String identity = UUID.randomUUID() + " " + String.join(" ", names);
    FlatteningEpoch epoch;
    try (ZooKeeper client = open(admin, connectTimeout, access)) {
      for (String path : OF_ADMIN) {
        createIfAbsent(client, path, "");
      }
      createIfAbsent(client, ZooFencePaths.ADMIN_DEPLOYMENT, identity, access.acl());
      checkAccess(client, access);
      identity =
          agreeIdentity(
              client, ZooFencePaths.ADMIN_DEPLOYMENT, identity, "administrative ensemble", names);
      createIfAbsent(
          client,
          ZooFencePaths.FLATTENING,
          new String(FlatteningEpoch.first(flattening).bytes(), StandardCharsets.UTF_8));
      epoch = FlatteningEpoch.read(client.getData(ZooFencePaths.FLATTENING, false, null), names);
      if (rules != null && !epoch.flattening().equals(flattening)) {
        throw new DeploymentException(
            "the deployment has another flattening; move subtrees one by one to change it:\n"
                + epoch.flattening(),
            null);
      }
    } catch (KeeperException e) {
      throw new DeploymentException(
          "the administrative ensemble " + admin + " rejected the request", e);
    }
    for (InstanceServers instance : instances) {
      join(instance, identity, names, connectTimeout);
    }
    return new Deployment(instances, admin, epoch, access);
  }

  /**
   * Reads an existing deployment, and changes nothing.
   *
   * @param access with which the deployment was founded
   * @throws DeploymentException if there is no deployment, or it has other instances or another
   *     access
   */
  public static Deployment openExisting(
      List<InstanceServers> instances,
      InstanceServers admin,
      Duration connectTimeout,
      AdminAccess access)
      throws InterruptedException {
    List<String> names = instances.stream().map(InstanceServers::name).toList();
    try (ZooKeeper client = open(admin, connectTimeout, access)) {
      checkAccess(client, access);
      String recorded = readText(client, ZooFencePaths.ADMIN_DEPLOYMENT);
      checkInstances(recorded, "administrative ensemble", names);
      byte[] flattening = client.getData(ZooFencePaths.FLATTENING, false, null);
      return new Deployment(instances, admin, FlatteningEpoch.read(flattening, names), access);
    } catch (KeeperException.NoNodeException e) {
      throw new DeploymentException("no deployment has the administrative ensemble " + admin, e);
    } catch (KeeperException e) {
      throw new DeploymentException(
          "the administrative ensemble " + admin + " rejected the request", e);
    }
  }

  /**
   * Checks that the deployment was founded with this access. Otherwise an executor of this process
   * could not read the commands of others, and would carry out later ones before them.
   */
  private static void checkAccess(ZooKeeper client, AdminAccess access)
      throws KeeperException, InterruptedException {
    boolean isOpen;
    try {
      isOpen =
          client
              .getACL(ZooFencePaths.ADMIN_DEPLOYMENT, new Stat())
              .equals(ZooDefs.Ids.OPEN_ACL_UNSAFE);
    } catch (KeeperException.NoAuthException e) {
      throw new DeploymentException(
          access.isOpen()
              ? "the deployment was founded with a credential for its administrative ensemble: "
                  + "give every process the same one"
              : "the deployment has another credential for its administrative ensemble",
          e);
    }
    if (isOpen && !access.isOpen()) {
      throw new DeploymentException(
          "the deployment was founded without a credential for its administrative ensemble; to have"
              + " one, found another deployment with it",
          null);
    }
  }

  private static void join(
      InstanceServers instance, String identity, List<String> names, Duration connectTimeout)
      throws InterruptedException {
    try (ZooKeeper client = open(instance, connectTimeout)) {
      for (String path : OF_INSTANCE) {
        createIfAbsent(client, path, "");
      }
      String recorded =
          agreeIdentity(
              client, ZooFencePaths.DEPLOYMENT, identity + " = " + instance.name(), null, names);
      if (!recorded.equals(identity + " = " + instance.name())) {
        throw new DeploymentException(
            "instance "
                + instance
                + " belongs to another deployment, or under another name: "
                + recorded,
            null);
      }
    } catch (KeeperException e) {
      throw new DeploymentException("instance " + instance + " refused", e);
    }
  }

  private static String agreeIdentity(
      ZooKeeper client,
      String path,
      String identity,
      @Nullable String ensembleName,
      List<String> names)
      throws KeeperException, InterruptedException {
    createIfAbsent(client, path, identity);
    String recorded = readText(client, path);
    if (ensembleName != null) {
      checkInstances(recorded, ensembleName, names);
    }
    return recorded;
  }

  private static void checkInstances(String recorded, String ensembleName, List<String> names) {
    String recordedNames = recorded.substring(recorded.indexOf(' ') + 1);
    if (!recordedNames.equals(String.join(" ", names))) {
      throw new DeploymentException(
          "the " + ensembleName + " is that of instances " + recordedNames + ", not of " + names,
          null);
    }
  }

  static void createIfAbsent(ZooKeeper client, String path, String data)
      throws KeeperException, InterruptedException {
    createIfAbsent(client, path, data, ZooDefs.Ids.OPEN_ACL_UNSAFE);
  }

  private static void createIfAbsent(ZooKeeper client, String path, String data, List<ACL> acl)
      throws KeeperException, InterruptedException {
    try {
      client.create(path, data.getBytes(StandardCharsets.UTF_8), acl, CreateMode.PERSISTENT);
    } catch (KeeperException.NodeExistsException e) {
      // Another process has created the znode; the result is the same.
    }
  }

  private static String readText(ZooKeeper client, String path)
      throws KeeperException, InterruptedException {
    return new String(client.getData(path, false, null), StandardCharsets.UTF_8);
  }

  static ZooKeeper open(InstanceServers servers, Duration connectTimeout, AdminAccess access)
      throws InterruptedException {
    ZooKeeper client = open(servers, connectTimeout);
    for (QueueCommand.Credential credential : access.credentials()) {
      byte[] proof = new byte[credential.proof().remaining()];
      credential.proof().duplicate().get(proof);
      client.addAuthInfo(credential.scheme(), proof);
    }
    return client;
  }

  static ZooKeeper open(InstanceServers servers, Duration connectTimeout)
      throws InterruptedException {
    var connected = new CountDownLatch(1);
    try {
      var client =
          new ZooKeeper(
              servers.connectString(),
              (int) Math.max(4000, connectTimeout.toMillis()),
              event -> {
                if (event.getState() == KeeperState.SyncConnected) {
                  connected.countDown();
                }
              });
      if (connected.await(connectTimeout.toMillis(), TimeUnit.MILLISECONDS)) {
        return client;
      }
      client.close();
    } catch (IOException e) {
      throw new DeploymentException("no connection can be opened to " + servers, e);
    }
    throw new DeploymentException(
        "no server of " + servers + " answered in " + connectTimeout.toMillis() + " ms", null);
  }
}
