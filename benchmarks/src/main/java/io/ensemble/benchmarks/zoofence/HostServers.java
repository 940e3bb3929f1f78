package io.ensemble.benchmarks.zoofence;

import java.util.List;
import java.util.Map;

/**
 * The ZooKeeper servers of a host.
 *
 * @param directory the directory for their data
 */
record HostServers(String directory, List<HostServer> servers) {

  /**
   * A server.
   *
   * @param id its number in its ensemble; any number for a single server
   * @param settings ZooKeeper settings
   */
  record HostServer(String name, int id, int port, Map<String, String> settings) {

    HostServer {
      settings = Map.copyOf(settings);
    }
  }

  /**
   * The ZooFence deployment to create.
   *
   * @param paths the paths to create
   * @param proxyPort the port of a proxy; 0 for none
   */
  record DeploymentSpec(
      String connectString, String flattening, List<String> paths, int proxyPort) {

    DeploymentSpec {
      paths = List.copyOf(paths);
    }
  }

  /** For their process: writes are not forced to a disk, and snapshots delay no server. */
  static final List<String> JAVA_OPTIONS =
      List.of("-Dzookeeper.forceSync=no", "-Dzookeeper.snapCount=100000000");

  HostServers {
    servers = List.copyOf(servers);
  }
}
