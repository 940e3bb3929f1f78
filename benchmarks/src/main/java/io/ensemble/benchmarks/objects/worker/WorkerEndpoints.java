package io.ensemble.benchmarks.objects.worker;

import java.util.List;

/**
 * Where one process finds whom it uses.
 *
 * @param addresses the Hot Rod addresses of the site
 * @param memory the ZooKeeper server, of the ensemble in memory, that this process uses
 * @param disk the same of that on disk
 */
public record WorkerEndpoints(List<String> addresses, String memory, String disk) {

  public WorkerEndpoints {
    addresses = List.copyOf(addresses);
  }

  /** The site's nodes, as Hot Rod's client wants them. */
  String nodes() {
    return String.join(";", addresses);
  }

  String servers(Connections.Ensemble which) {
    return switch (which) {
      case MEMORY -> memory;
      case DISK -> disk;
    };
  }
}
