package io.ensemble.benchmarks.objects.worker;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The addresses for one process.
 *
 * @param addresses the Hot Rod addresses of the site
 * @param catalog the directory with the definitions of ensemble caches, which all processes share
 * @param memory the ZooKeeper server, of the ensemble in memory, that this process uses
 * @param disk the same of the ensemble on disk
 * @param etcd the etcd server that this process uses; null if there is none
 */
public record WorkerEndpoints(
    List<String> addresses, String catalog, String memory, String disk, @Nullable String etcd) {

  public WorkerEndpoints {
    addresses = List.copyOf(addresses);
  }

  /** The site's nodes, in the format of the Hot Rod client. */
  String nodes() {
    return String.join(";", addresses);
  }

  String servers(Connections.ZooKeeperStorage storage) {
    return switch (storage) {
      case MEMORY -> memory;
      case DISK -> disk;
    };
  }
}
