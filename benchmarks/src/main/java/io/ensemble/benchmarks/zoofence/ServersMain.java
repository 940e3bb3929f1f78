package io.ensemble.benchmarks.zoofence;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.ensemble.benchmarks.report.LogSilencer;
import io.ensemble.testkit.process.child.ChildProgram;
import io.ensemble.testkit.zookeeper.ZooKeeperNode;
import io.ensemble.zoofence.client.ZooFence;
import io.ensemble.zoofence.deployment.Deployment;
import io.ensemble.zoofence.link.InstanceServers;
import io.ensemble.zoofence.proxy.ProxyNode;
import io.ensemble.zoofence.proxy.ProxyOptions;
import io.ensemble.zoofence.session.routing.ReadPreference;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs;

/**
 * The ZooKeeper servers of one host. When it receives a {@link HostServers.DeploymentSpec}, it
 * creates that ZooFence deployment, and executes its commands from then on. Ends when its standard
 * input does.
 */
final class ServersMain {

  static final String SERVING = "serving";
  static final String FOUNDED = "founded";

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int SESSION_MILLIS = 30_000;
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Held, because loggers without references are collected, with their levels. */
  private static final Logger ELECTIONS = Logger.getLogger("org.apache.zookeeper.server.quorum");

  private ServersMain() {}

  /** Its argument is a {@link HostServers} as JSON. */
  public static void main(String[] args) {
    LogSilencer.ofLibraries();
    ELECTIONS.setLevel(Level.OFF); // Members log simultaneous mutual calls as severe.
    ChildProgram.run(() -> work(args)); // The data of the servers need not be saved.
  }

  private static void work(String[] args) throws Exception {
    try (BufferedReader input = new BufferedReader(new InputStreamReader(System.in, UTF_8))) {
      serve(JSON.readValue(args[0], HostServers.class));
      System.out.println(SERVING);
      for (String line = input.readLine(); line != null; line = input.readLine()) {
        createDeployment(JSON.readValue(line, HostServers.DeploymentSpec.class));
        System.out.println(FOUNDED);
      }
    }
  }

  private static void serve(HostServers host) throws IOException {
    for (HostServers.HostServer each : host.servers()) {
      Path directory = Path.of(host.directory(), each.name());
      Files.writeString(
          Files.createDirectories(directory.resolve("data")).resolve("myid"),
          String.valueOf(each.id()));
      ZooKeeperNode unused = ZooKeeperNode.start(directory, each.port(), each.settings());
    }
  }

  private static void createDeployment(HostServers.DeploymentSpec spec) throws Exception {
    List<InstanceServers> instances = InstanceServers.read(spec.connectString());
    Deployment deployment =
        Deployment.join(instances, instances.get(0), spec.flattening(), PATIENCE);
    if (spec.proxyPort() > 0) {
      InetAddress here = InetAddress.getLoopbackAddress();
      ProxyNode unused =
          ProxyNode.serve(
              deployment,
              ProxyOptions.at(new InetSocketAddress(here, spec.proxyPort()))
                  .maxClientConnections(0),
              true,
              PATIENCE,
              ReadPreference.CANONICAL);
      return;
    }
    // The client stays open: any process with a client may execute commands, and the first one
    // does.
    ZooFence client = new ZooFence(spec.connectString(), SESSION_MILLIS, event -> {});
    for (String path : spec.paths()) {
      client.create(path, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    }
  }
}
