package io.ensemble.benchmarks.zoofence;

import java.util.List;
import java.util.Map;

/**
 * The ZooKeeper servers of a host.
 *
 * @param directory below which they keep what they have
 */
record HostServers(String directory, List<Server> servers) {

  /**
   * One of them.
   *
   * @param id its number in its ensemble; of one that is alone, any
   * @param settings of ZooKeeper's own
   */
  record Server(String name, int id, int port, Map<String, String> settings) {

    Server {
      settings = Map.copyOf(settings);
    }
  }

  /**
   * The deployment of ZooFence that is to be founded.
   *
   * @param paths that are made
   * @param proxyPort where a proxy serves it; 0 for none
   */
  record Founding(String connectString, String flattening, List<String> paths, int proxyPort) {

    Founding {
      paths = List.copyOf(paths);
    }
  }

  /** Of their process: nothing is forced to a disk, and nobody is slowed down by a snapshot. */
  static final List<String> JAVA_OPTIONS =
      List.of("-Dzookeeper.forceSync=no", "-Dzookeeper.snapCount=100000000");

  HostServers {
    servers = List.copyOf(servers);
  }
}
