package io.ensemble.zoofence.suite;

import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.deployment.Deployment;
import io.ensemble.zoofence.embedded.EmbeddedInstance;
import io.ensemble.zoofence.flattening.ZnodePaths;
import io.ensemble.zoofence.link.InstanceServers;
import io.ensemble.zoofence.proxy.ProxyOptions;
import io.ensemble.zoofence.proxy.ZooFenceProxy;
import io.ensemble.zoofence.queue.executor.CommandExecutor;
import io.ensemble.zoofence.session.routing.ReadPreference;
import io.ensemble.zoofence.session.routing.RoutingContext;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import javax.management.JMException;
import org.apache.zookeeper.jmx.MBeanRegistry;
import org.apache.zookeeper.jmx.ZKMBeanInfo;
import org.apache.zookeeper.server.ConnectionMXBean;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ServerCnxn;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.jspecify.annotations.Nullable;

/**
 * Puts three instances and a proxy where ZooKeeper's own tests expect one server. A property of the
 * tests names this class; the tests are unchanged. The server that a test creates is the first
 * instance.
 */
public final class ZooFenceFactory extends ServerCnxnFactory {
  /** The rules of the flattening, separated by semicolons. */
  public static final String RULES = "zoofence.rules";

  private InetSocketAddress address = new InetSocketAddress(0);
  private int mostConnections;
  private NIOServerCnxnFactory first = new NIOServerCnxnFactory();
  private final List<EmbeddedInstance> others = new ArrayList<>();
  private CommandExecutor executor;
  private ZooFenceProxy proxy;

  static {
    MBeanRegistry.setInstance(new ClientsOnly());
  }

  private static volatile @Nullable ZooKeeperServer server;

  /**
   * A test waits for the bean of its client's connection for up to a minute, and checks after a
   * start that there is none. Therefore, beans exist only for connections of client sessions, which
   * are known a moment later, and not for connections of the executor.
   */
  private static final class ClientsOnly extends MBeanRegistry {
    private static final long MILLIS = 30;
    private static final int TRIES = 300;

    private final ScheduledExecutorService later =
        Executors.newSingleThreadScheduledExecutor(
            work -> {
              var made = new Thread(work, "late-beans");
              made.setDaemon(true);
              return made;
            });
    private final Set<ZKMBeanInfo> gone = Collections.newSetFromMap(new WeakHashMap<>());

    @Override
    public void register(ZKMBeanInfo bean, ZKMBeanInfo parent) throws JMException {
      if (bean instanceof ConnectionMXBean connection) {
        later(bean, parent, connection, TRIES);
      } else {
        super.register(bean, parent);
      }
    }

    private void later(
        ZKMBeanInfo bean, ZKMBeanInfo parent, ConnectionMXBean connection, int left) {
      later.schedule(
          () -> {
            synchronized (gone) {
              if (gone.contains(bean) || left == 0) {
                return null;
              }
              if (isClient(connection)) {
                super.register(bean, parent);
              } else {
                later(bean, parent, connection, left - 1);
              }
            }
            return null;
          },
          MILLIS,
          TimeUnit.MILLISECONDS);
    }

    private static boolean isClient(ConnectionMXBean connection) {
      ZooKeeperServer first = server;
      String session = connection.getSessionId().replaceFirst("^0x", "");
      return first != null
          && first.getZKDatabase().getNode(ZnodePaths.child(ZooFencePaths.LIVE, session)) != null;
    }

    @Override
    public void unregister(ZKMBeanInfo bean) {
      synchronized (gone) {
        gone.add(bean);
        super.unregister(bean);
      }
    }
  }

  @Override
  public void configure(InetSocketAddress wanted, int maxcc, int backlog, boolean secure) {
    address = wanted;
    mostConnections = maxcc;
  }

  @Override
  public void reconfigure(InetSocketAddress wanted) {
    address = wanted;
  }

  @Override
  public void startup(ZooKeeperServer made, boolean startServer)
      throws IOException, InterruptedException {
    try {
      startAll(made);
    } catch (IOException | InterruptedException | RuntimeException e) {
      shutdown(); // The caller waits until the threads of the first instance have ended.
      throw e;
    }
  }

  private void startAll(ZooKeeperServer made) throws IOException, InterruptedException {
    first.configure(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    first.startup(made);
    zkServer = made;
    server = made;
    var servers = new ArrayList<InstanceServers>();
    servers.add(new InstanceServers("1", List.of("127.0.0.1:" + first.getLocalPort())));
    // A test that removes the data of its server removes those of all instances.
    Path home = made.getTxnLogFactory().getSnapDir().toPath().getParent();
    for (int i = 2; i <= 3; i++) {
      Path own = Files.createDirectories(home.resolve("instance" + i));
      EmbeddedInstance instance = EmbeddedInstance.start(own, 0);
      others.add(instance);
      servers.add(instance.servers(Integer.toString(i)));
    }
    var deployment =
        Deployment.join(
            servers,
            servers.get(0),
            System.getProperty(RULES, "/ hash 1").replace(',', ' '),
            Duration.ofSeconds(20));
    executor =
        new CommandExecutor(deployment.instances(), deployment.admin(), deployment::flattening);
    var router =
        new RoutingContext(
            deployment.instances(),
            deployment.admin(),
            deployment.epoch(),
            Duration.ofSeconds(10),
            ReadPreference.CANONICAL);
    proxy =
        ZooFenceProxy.serve(
            router, ProxyOptions.at(address).maxClientConnections(Math.max(0, mostConnections)));
  }

  @Override
  public void start() {}

  @Override
  public synchronized void shutdown() {
    if (proxy != null) {
      proxy.close();
    }
    if (executor != null) {
      executor.close();
    }
    first.shutdown();
    others.forEach(EmbeddedInstance::close);
    others.clear();
  }

  @Override
  public void join() throws InterruptedException {
    first.join();
  }

  @Override
  public int getLocalPort() {
    return proxy == null ? address.getPort() : proxy.address().getPort();
  }

  @Override
  public InetSocketAddress getLocalAddress() {
    return proxy == null ? address : proxy.address();
  }

  @Override
  public int getMaxClientCnxnsPerHost() {
    return mostConnections;
  }

  @Override
  public void setMaxClientCnxnsPerHost(int max) {
    mostConnections = max;
  }

  @Override
  public int getSocketListenBacklog() {
    return -1;
  }

  @Override
  public boolean closeSession(long sessionId, ServerCnxn.DisconnectReason reason) {
    return first.closeSession(sessionId, reason);
  }

  @Override
  public void closeAll(ServerCnxn.DisconnectReason reason) {
    first.closeAll(reason);
  }

  @Override
  public Iterable<ServerCnxn> getConnections() {
    return first.getConnections();
  }

  @Override
  public int getNumAliveConnections() {
    return first.getNumAliveConnections();
  }

  @Override
  public void resetAllConnectionStats() {
    first.resetAllConnectionStats();
  }

  @Override
  public Iterable<java.util.Map<String, Object>> getAllConnectionInfo(boolean brief) {
    return first.getAllConnectionInfo(brief);
  }
}
