package io.ensemble.zoofence.embedded;

import io.ensemble.zoofence.link.InstanceServers;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import org.apache.zookeeper.server.ContainerManager;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.jspecify.annotations.Nullable;

/**
 * One ZooKeeper server on loopback, for tests and first steps. The server keeps its data in a
 * directory, and finds the data there when it is started again. The server ends with this process.
 */
public final class EmbeddedInstance implements AutoCloseable {
  private static final int TICK_MILLIS = 500;
  private static final int MOST_CLIENTS = 10_000;

  private final ServerCnxnFactory factory;
  private final Server server;

  private EmbeddedInstance(ServerCnxnFactory factory, Server server) {
    this.factory = factory;
    this.server = server;
  }

  /**
   * Starts a server.
   *
   * @param port the port on loopback; 0 takes a free one
   */
  public static EmbeddedInstance start(Path directory, int port)
      throws IOException, InterruptedException {
    System.setProperty("zookeeper.admin.enableServer", "false");
    var server = new Server(directory.toFile());
    server.setMinSessionTimeout(2 * TICK_MILLIS);
    server.setMaxSessionTimeout(120 * TICK_MILLIS);
    var factory = new NIOServerCnxnFactory();
    factory.configure(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), MOST_CLIENTS);
    factory.startup(server);
    server.beginSweeping();
    return new EmbeddedInstance(factory, server);
  }

  public int port() {
    return factory.getLocalPort();
  }

  /** The address of the server, under a name. */
  public InstanceServers servers(String name) {
    return new InstanceServers(name, List.of("127.0.0.1:" + port()));
  }

  /** The server itself, for information that only the server has. */
  public ZooKeeperServer server() {
    return server;
  }

  @Override
  public void close() {
    server.endSweeping();
    factory.shutdown();
    server.shutdown(true);
  }

  /**
   * A server without management beans: the beans of several servers in one process would have the
   * same name.
   */
  private static final class Server extends ZooKeeperServer {
    private @Nullable ContainerManager containers;

    Server(File directory) throws IOException {
      super(directory, directory, TICK_MILLIS);
    }

    /**
     * Starts the removal of containers and of expired znodes, as ZooKeeper's own main program does.
     */
    void beginSweeping() {
      containers =
          new ContainerManager(
              getZKDatabase(),
              firstProcessor,
              Integer.getInteger("znode.container.checkIntervalMs", 60_000),
              Integer.getInteger("znode.container.maxPerMinute", 10_000),
              Long.getLong("znode.container.maxNeverUsedIntervalMs", 0));
      containers.start();
    }

    void endSweeping() {
      if (containers != null) {
        containers.stop();
      }
    }

    @Override
    protected void registerJMX() {}

    @Override
    protected void unregisterJMX() {}
  }
}
