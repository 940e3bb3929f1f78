package io.ensemble.zoofence.client;

import io.ensemble.zoofence.link.InstanceServers;
import io.ensemble.zoofence.session.routing.ReadPreference;
import java.io.IOException;
import java.util.List;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;

/**
 * ZooKeeper's client over several ensembles, without a proxy: {@code new ZooFence("a:2181|b:2181",
 * ...)} in place of {@code new ZooKeeper("a:2181", ...)}. It is one: every method, watch, chroot
 * and timeout is ZooKeeper's own. Thread-safe, as that is.
 *
 * <p>The deployment is joined, and founded where there is none, with every path at all ensembles;
 * {@code Deployment.join} founds one with a flattening of its own. All clients of a process with
 * one connect string share the threads that route their requests and, unless others lead the
 * queues, carry commands out (the paper's section IV-B).
 */
public final class ZooFence extends ZooKeeper {
  private final SharedDeployment.Use use;

  /**
   * Begins to connect.
   *
   * @param connectString ensembles between bars, the servers of each between commas, and a chroot
   *     behind all if wanted: {@code a:2181|b:2181,b2:2181/app}
   * @throws IllegalArgumentException if a part is empty or no address
   * @throws io.ensemble.zoofence.deployment.DeploymentException if an ensemble is not reached, or
   *     belongs to another deployment
   */
  public ZooFence(String connectString, int sessionTimeout, Watcher watcher) throws IOException {
    this(connectString, sessionTimeout, watcher, false);
  }

  public ZooFence(String connectString, int sessionTimeout, Watcher watcher, boolean canBeReadOnly)
      throws IOException {
    this(
        SharedDeployment.use(Address.read(connectString), ReadPreference.CANONICAL),
        sessionTimeout,
        watcher,
        canBeReadOnly);
  }

  /**
   * Begins to connect.
   *
   * @param readPreference where paths are read that several ensembles hold; {@code Distance} tells
   *     which are the nearest
   */
  public ZooFence(
      String connectString, int sessionTimeout, Watcher watcher, ReadPreference readPreference)
      throws IOException {
    this(
        SharedDeployment.use(Address.read(connectString), readPreference),
        sessionTimeout,
        watcher,
        false);
  }

  /** Goes on with a session. */
  public ZooFence(
      String connectString, int sessionTimeout, Watcher watcher, long sessionId, byte[] password)
      throws IOException {
    this(
        SharedDeployment.use(Address.read(connectString), ReadPreference.CANONICAL),
        sessionTimeout,
        watcher,
        sessionId,
        password);
  }

  private ZooFence(SharedDeployment.Use use, int timeout, Watcher watcher, boolean canBeReadOnly)
      throws IOException {
    super(use.nominalAddress(), timeout, watcher, canBeReadOnly, use.configuration());
    this.use = use;
  }

  private ZooFence(
      SharedDeployment.Use use, int timeout, Watcher watcher, long sessionId, byte[] password)
      throws IOException {
    super(
        use.nominalAddress(),
        timeout,
        watcher,
        sessionId,
        password,
        false,
        use.hosts(),
        use.configuration());
    this.use = use;
  }

  @Override
  public synchronized void close() throws InterruptedException {
    super.close();
    use.end();
  }

  /**
   * What stands before the chroot, and the chroot.
   *
   * @param chroot empty if there is none
   */
  record Address(String ensembles, List<InstanceServers> instances, String chroot) {
    static Address read(String text) {
      int slash = text.indexOf('/');
      String ensembles = slash < 0 ? text : text.substring(0, slash);
      return new Address(
          ensembles, InstanceServers.read(ensembles), slash < 0 ? "" : text.substring(slash));
    }
  }
}
