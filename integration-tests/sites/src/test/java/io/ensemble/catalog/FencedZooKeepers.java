package io.ensemble.catalog;

import io.ensemble.testkit.link.Ports;
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
import org.apache.zookeeper.server.DataNode;
import org.jspecify.annotations.Nullable;

/** Three ZooKeepers in this JVM, served as one by two proxies; each can be stopped. */
public final class FencedZooKeepers implements AutoCloseable {

  /** The version of a missing node. */
  static final int NONE = -1;

  private static final int INSTANCES = 3;

  private final Path directory;
  private final Duration patience;
  private final int[] ports = new int[INSTANCES];
  private final @Nullable EmbeddedInstance[] instances = new EmbeddedInstance[INSTANCES];
  private final int firstPort = Ports.reserve(2);
  private final @Nullable ProxyNode[] proxies = new ProxyNode[2];
  private final Deployment deployment;

  /**
   * @param patience how long a proxy waits for a ZooKeeper that is down
   */
  public FencedZooKeepers(Path directory, String rules, Duration patience) throws Exception {
    this.directory = directory;
    this.patience = patience;
    List<InstanceServers> servers = new ArrayList<>();
    for (int i = 0; i < INSTANCES; i++) {
      servers.add(startInstance(i).servers(Integer.toString(i + 1)));
    }
    deployment = Deployment.join(servers, servers.get(0), rules, Duration.ofSeconds(20));
    startProxy(0);
    startProxy(1);
  }

  public EmbeddedInstance startInstance(int number) throws Exception {
    Path own = Files.createDirectories(directory.resolve("instance" + number));
    EmbeddedInstance started = EmbeddedInstance.start(own, ports[number]);
    ports[number] = started.port();
    instances[number] = started;
    return started;
  }

  public void stopInstance(int number) {
    EmbeddedInstance had = instances[number];
    instances[number] = null;
    if (had != null) {
      had.close();
    }
  }

  /** The version of a node at an instance, or {@link #NONE}. */
  int version(int number, String path) {
    EmbeddedInstance one = instances[number];
    DataNode node = one == null ? null : one.server().getZKDatabase().getNode(path);
    return node == null ? NONE : node.stat.getVersion();
  }

  public void startProxy(int number) throws InterruptedException {
    proxies[number] =
        ProxyNode.serve(
            deployment,
            new InetSocketAddress(InetAddress.getLoopbackAddress(), port(number)),
            true,
            patience);
  }

  public void stopProxy(int number) {
    ProxyNode had = proxies[number];
    proxies[number] = null;
    if (had != null) {
      had.close();
    }
  }

  public int port(int proxy) {
    return firstPort + proxy;
  }

  public String address(int proxy) {
    return "127.0.0.1:" + port(proxy);
  }

  @Override
  public void close() {
    for (int i = 0; i < proxies.length; i++) {
      stopProxy(i);
    }
    for (int i = 0; i < INSTANCES; i++) {
      stopInstance(i);
    }
  }
}
