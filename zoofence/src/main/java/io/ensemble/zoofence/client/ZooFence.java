package io.ensemble.zoofence.client;

import io.ensemble.zoofence.link.InstanceServers;
import io.ensemble.zoofence.session.routing.ReadPreference;
import java.io.IOException;
import java.util.List;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.common.PathUtils;

/**
 * A ZooKeeper client over several ensembles, without a proxy: {@code new ZooFence("a:2181|b:2181",
 * ...)} in place of {@code new ZooKeeper("a:2181", ...)}. This class extends ZooKeeper's client:
 * every method, watch, chroot and timeout is ZooKeeper's own. Thread-safe, as ZooKeeper's client
 * is.
 *
 * <p>The client joins the deployment of these ensembles. If there is no deployment, the client
 * founds one that keeps every path at all ensembles; {@code Deployment.join} founds one with
 * another flattening. All clients of a process with the same connect string share the threads that
 * route their requests. These threads also execute commands unless other processes lead the queues
 * (the paper's section IV-B), or the process does not take part in the election of the leaders.
 */
public final class ZooFence extends ZooKeeper {
  private final SharedDeployment.Use sharedUse;

  /**
   * Begins to connect.
   *
   * @param connectString ensembles separated by bars, the servers of each separated by commas, and
   *     an optional chroot at the end: {@code a:2181|b:2181,b2:2181/app}
   * @throws IllegalArgumentException if a part is empty or not an address, or the chroot is not a
   *     path; then no ensemble was asked
   * @throws io.ensemble.zoofence.deployment.DeploymentException if an ensemble is not reached, or
   *     belongs to another deployment
   */
  public ZooFence(String connectString, int sessionTimeout, Watcher watcher) throws IOException {
    this(connectString, sessionTimeout, watcher, false);
  }

  public ZooFence(String connectString, int sessionTimeout, Watcher watcher, boolean canBeReadOnly)
      throws IOException {
    this(
        SharedDeployment.acquire(Address.read(connectString), ClientOptions.DEFAULT),
        sessionTimeout,
        watcher,
        canBeReadOnly);
  }

  /**
   * Begins to connect, with a read preference.
   *
   * @param readPreference where to read paths that several ensembles hold; {@link
   *     io.ensemble.zoofence.deployment.NearestInstances} finds the nearest ensembles
   */
  public ZooFence(
      String connectString, int sessionTimeout, Watcher watcher, ReadPreference readPreference)
      throws IOException {
    this(
        connectString,
        sessionTimeout,
        watcher,
        ClientOptions.DEFAULT.withReadPreference(readPreference));
  }

  /**
   * Begins to connect, with options.
   *
   * @param options how this process takes part in the deployment
   */
  public ZooFence(String connectString, int sessionTimeout, Watcher watcher, ClientOptions options)
      throws IOException {
    this(
        SharedDeployment.acquire(Address.read(connectString), options),
        sessionTimeout,
        watcher,
        false);
  }

  /** Continues an existing session. */
  public ZooFence(
      String connectString, int sessionTimeout, Watcher watcher, long sessionId, byte[] password)
      throws IOException {
    this(
        SharedDeployment.acquire(Address.read(connectString), ClientOptions.DEFAULT),
        sessionTimeout,
        watcher,
        sessionId,
        password);
  }

  private ZooFence(
      SharedDeployment.Use sharedUse, int timeout, Watcher watcher, boolean canBeReadOnly)
      throws IOException {
    super(sharedUse.nominalAddress(), timeout, watcher, canBeReadOnly, sharedUse.configuration());
    this.sharedUse = sharedUse;
  }

  private ZooFence(
      SharedDeployment.Use sharedUse, int timeout, Watcher watcher, long sessionId, byte[] password)
      throws IOException {
    super(
        sharedUse.nominalAddress(),
        timeout,
        watcher,
        sessionId,
        password,
        false,
        sharedUse.hosts(),
        sharedUse.configuration());
    this.sharedUse = sharedUse;
  }

  @Override
  public synchronized void close() throws InterruptedException {
    super.close();
    sharedUse.end();
  }

  /**
   * A connect string, split into the part before the chroot and the chroot.
   *
   * @param chroot empty if there is none
   */
  record Address(String ensembles, List<InstanceServers> instances, String chroot) {
    static Address read(String text) {
      int slash = text.indexOf('/');
      String ensembles = slash < 0 ? text : text.substring(0, slash);
      if (slash >= 0) {
        // ZooKeeper's constructor would fail after the deployment is joined, which cannot be undone
        // there.
        PathUtils.validatePath(text.substring(slash));
      }
      return new Address(
          ensembles, InstanceServers.read(ensembles), slash < 0 ? "" : text.substring(slash));
    }
  }
}
