package io.ensemble.zoofence.deployment;

import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.flattening.FlatteningEpoch;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.flattening.MovePreview;
import io.ensemble.zoofence.link.InstanceServers;
import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.queue.executor.SubtreeInspector;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;

/** Changes the flattening of a deployment in use, one subtree at a time. */
public final class SubtreeMover {
  private final Deployment deployment;
  private final Duration connectTimeout;

  /**
   * @param connectTimeout how long to wait for a connection to the administrative ensemble
   */
  public SubtreeMover(Deployment deployment, Duration connectTimeout) {
    this.deployment = deployment;
    this.connectTimeout = connectTimeout;
  }

  /** The flattening in force. */
  public Flattening flattening() throws InterruptedException {
    try (ZooKeeper admin = open()) {
      return read(admin);
    } catch (KeeperException e) {
      throw toException(e);
    }
  }

  private ZooKeeper open() throws InterruptedException {
    return Deployment.open(deployment.admin(), connectTimeout, deployment.access());
  }

  private Flattening read(ZooKeeper admin) throws KeeperException, InterruptedException {
    return readEpoch(admin).flattening();
  }

  private FlatteningEpoch readEpoch(ZooKeeper admin) throws KeeperException, InterruptedException {
    admin.sync(ZooFencePaths.FLATTENING);
    byte[] data = admin.getData(ZooFencePaths.FLATTENING, false, null);
    List<String> names = deployment.instances().stream().map(InstanceServers::name).toList();
    return FlatteningEpoch.read(data, names);
  }

  private DeploymentException toException(KeeperException e) {
    return new DeploymentException(
        "the administrative ensemble " + deployment.admin() + " rejected the request", e);
  }

  /**
   * Reads what {@link #move} would do with the same arguments, and changes nothing. Clients may
   * change the subtree meanwhile and afterwards, so a later move may find something else. The cost
   * is about five round trips for each znode; repeating the call is safe.
   *
   * @param timeout how long to read
   * @throws DeploymentException if an ensemble cannot be reached, or the time was not enough
   */
  public MovePreview preview(
      String path, String rule, List<QueueCommand.Credential> credentials, Duration timeout)
      throws InterruptedException {
    long endNanos = System.nanoTime() + timeout.toNanos();
    List<String> names = deployment.instances().stream().map(InstanceServers::name).toList();
    var clients = new ArrayList<ZooKeeper>();
    try {
      for (InstanceServers instance : deployment.instances()) {
        ZooKeeper client = Deployment.open(instance, connectTimeout);
        clients.add(client);
        for (QueueCommand.Credential credential : credentials) {
          client.addAuthInfo(credential.scheme(), bytes(credential.proof()));
        }
        client.sync(ZooFencePaths.ROOT);
      }
      FlatteningEpoch epoch;
      try (ZooKeeper admin = Deployment.open(deployment.admin(), connectTimeout)) {
        epoch = readEpoch(admin);
      }
      MovePreview preview =
          new SubtreeInspector(epoch, names, clients::get, () -> System.nanoTime() - endNanos > 0)
              .inspect(path, rule);
      if (preview == null) {
        throw new DeploymentException(
            path + " could not be read within " + timeout.toMillis() + " ms", null);
      }
      return preview;
    } catch (KeeperException e) {
      throw new DeploymentException("an ensemble rejected the request: " + e.getMessage(), e);
    } finally {
      for (ZooKeeper client : clients) {
        client.close();
      }
    }
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }

  /**
   * Moves a subtree to other holders. An executor of the deployment carries out the move, and
   * continues even if the caller does not wait. Requesting the same move twice is safe. Clients
   * continue to work; requests about the subtree wait until the move ends.
   *
   * @param rule the new holders, as in a flattening's text: {@code 1,3}, {@code *}, {@code hash 1}
   * @param credentials the credentials with which the subtree is read and copied; they must allow
   *     to read and change all of it
   * @param timeout how long to wait for the end of the move
   * @return the flattening in force after the move
   * @throws DeploymentException if the move was refused, which had no effect, or is not finished in
   *     time
   */
  public Flattening move(
      String path, String rule, List<QueueCommand.Credential> credentials, Duration timeout)
      throws InterruptedException {
    String queue = ZooFencePaths.queue(InstanceSet.first(deployment.instances().size()));
    try (ZooKeeper admin = open()) {
      Deployment.createIfAbsent(admin, queue, "");
      var created = new Stat();
      String command =
          admin.create(
              queue + "/c-",
              QueueCommand.move(path, rule, credentials).bytes(),
              deployment.access().acl(),
              CreateMode.PERSISTENT_SEQUENTIAL,
              created);
      var removed = new CountDownLatch(1);
      Watcher watcher =
          event -> {
            if (event.getType() == EventType.NodeDeleted) {
              removed.countDown();
            }
          };
      if (admin.exists(command, watcher) != null
          && !removed.await(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new DeploymentException(
            "the move of "
                + path
                + " continues, but did not complete within "
                + timeout.toMillis()
                + " ms",
            null);
      }
      String report = ZooFencePaths.moveReport(created.getCzxid());
      String refusal = new String(admin.getData(report, false, null), StandardCharsets.UTF_8);
      admin.delete(report, -1);
      if (!refusal.isEmpty()) {
        throw new DeploymentException(path + " was not moved: " + refusal, null);
      }
      return read(admin);
    } catch (KeeperException e) {
      throw toException(e);
    }
  }
}
