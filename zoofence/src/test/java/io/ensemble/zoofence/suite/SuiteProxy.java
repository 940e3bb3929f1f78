package io.ensemble.zoofence.suite;

import io.ensemble.zoofence.deployment.Deployment;
import io.ensemble.zoofence.link.InstanceServers;
import io.ensemble.zoofence.proxy.FourLetterWhitelist;
import io.ensemble.zoofence.proxy.ProxyNode;
import io.ensemble.zoofence.proxy.ProxyOptions;
import io.ensemble.zoofence.session.routing.ReadPreference;
import java.io.Reader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import org.apache.zookeeper.common.ZKConfig;

/**
 * A proxy that is started as a ZooKeeper server, by a configuration file of ZooKeeper. It takes the
 * place of each server that a test suite starts. Properties name the ensembles and the flattening.
 */
public final class SuiteProxy {
  /** The ensembles, as in a connect string of ZooFence. */
  static final String ENSEMBLES = "zoofence.ensembles";

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private SuiteProxy() {}

  /**
   * Serves until it is stopped.
   *
   * @param arguments the file of the configuration
   */
  public static void main(String[] arguments) throws Exception {
    var configuration = new Properties();
    try (Reader in = Files.newBufferedReader(Path.of(arguments[0]))) {
      configuration.load(in);
    }
    List<InstanceServers> ensembles =
        InstanceServers.read(Objects.requireNonNull(System.getProperty(ENSEMBLES)));
    Deployment deployment = Deployment.join(ensembles, ensembles.get(0), null, PATIENCE);
    ProxyNode node =
        ProxyNode.serve(
            deployment, options(configuration), true, PATIENCE, ReadPreference.CANONICAL);
    Runtime.getRuntime().addShutdownHook(new Thread(node::close, "proxy-end"));
    new CountDownLatch(1).await();
  }

  private static ProxyOptions options(Properties configuration) {
    ProxyOptions options =
        ProxyOptions.at(address(configuration.getProperty("clientPort")))
            .maxClientConnections(Integer.parseInt(configuration.getProperty("maxClientCnxns")))
            .words(FourLetterWhitelist.parse(configuration.getProperty("4lw.commands.whitelist")));
    String securePort = configuration.getProperty("secureClientPort");
    if (securePort == null) {
      return options;
    }
    var tls = new ZKConfig();
    configuration.stringPropertyNames().stream()
        .filter(name -> name.startsWith("ssl."))
        .forEach(name -> tls.setProperty("zookeeper." + name, configuration.getProperty(name)));
    return options.secure(address(securePort), tls);
  }

  private static InetSocketAddress address(String port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(port));
  }
}
