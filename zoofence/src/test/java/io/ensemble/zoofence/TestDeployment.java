package io.ensemble.zoofence;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.zoofence.deployment.Deployment;
import io.ensemble.zoofence.embedded.EmbeddedInstance;
import io.ensemble.zoofence.link.InstanceServers;
import io.ensemble.zoofence.proxy.ProxyNode;
import io.ensemble.zoofence.session.routing.ReadPreference;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.server.DataNode;
import org.jspecify.annotations.Nullable;

/** Instances in this process, one deployment over them, and processes that serve it. */
public final class TestDeployment implements AutoCloseable {
  public static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final int TIMEOUT_MILLIS = 20_000;

  private final List<EmbeddedInstance> instances = new ArrayList<>();
  private final List<ProxyNode> nodes = new ArrayList<>();
  private final Deployment deployment;

  /**
   * @param rules the rules of the flattening, separated by semicolons
   */
  public TestDeployment(Path directory, int count, String rules) throws Exception {
    var servers = new ArrayList<InstanceServers>();
    for (int i = 0; i < count; i++) {
      Path own = Files.createDirectories(directory.resolve("instance" + i));
      instances.add(EmbeddedInstance.start(own, 0));
      servers.add(instances.get(i).servers(Integer.toString(i + 1)));
    }
    deployment = Deployment.join(servers, servers.get(0), rules.replace(';', '\n'), PATIENCE);
  }

  public Deployment deployment() {
    return deployment;
  }

  public List<EmbeddedInstance> instances() {
    return instances;
  }

  /** The znode at a path of an instance; null if there is none. */
  public @Nullable DataNode node(int instance, String path) {
    return instances.get(instance).server().getZKDatabase().getNode(path);
  }

  /** Starts another node that serves the deployment. */
  public ProxyNode serve(boolean execute) throws InterruptedException {
    return serve(execute, ReadPreference.CANONICAL);
  }

  /** Starts another node that serves the deployment, with a read preference. */
  public ProxyNode serve(boolean execute, ReadPreference readPreference)
      throws InterruptedException {
    var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    ProxyNode node = ProxyNode.serve(deployment, address, execute, PATIENCE, readPreference);
    nodes.add(node);
    return node;
  }

  /** The address of a node, for clients. */
  public static String address(ProxyNode node) {
    return "127.0.0.1:" + node.address().getPort();
  }

  public static ZooKeeper client(ProxyNode node) throws Exception {
    return client(address(node), TIMEOUT_MILLIS, event -> {});
  }

  /** A connected client. */
  public static ZooKeeper client(String address, int timeoutMillis, Watcher watcher)
      throws Exception {
    var connected = new CountDownLatch(1);
    var made =
        new ZooKeeper(
            address,
            timeoutMillis,
            event -> {
              connected.countDown();
              watcher.process(event);
            });
    assertThat(connected.await(60, TimeUnit.SECONDS)).as("connected to " + address).isTrue();
    return made;
  }

  @Override
  public void close() {
    nodes.forEach(ProxyNode::close);
    instances.forEach(EmbeddedInstance::close);
  }
}
