package io.ensemble.testkit.process;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * The report of a node about itself and its site.
 *
 * @param status the status of all its caches, in Infinispan's words
 * @param members the names of the nodes that it forms the site with, itself included
 */
record NodeHealth(String status, Set<String> members) {

  private static final ObjectMapper JSON = new ObjectMapper();
  static final String HEALTHY = "HEALTHY";
  private static final String DEGRADED = "DEGRADED";

  /** Whether every cache is available and none moves its entries. */
  boolean isHealthy() {
    return status.equals(HEALTHY);
  }

  /** Whether a cache is in DEGRADED mode (partition handling) and refuses all operations. */
  boolean isDegraded() {
    return status.equals(DEGRADED);
  }

  /** Parses the report of a node; empty if it is malformed. */
  static Optional<NodeHealth> parsed(String text) {
    try {
      JsonNode cluster = JSON.readTree(text).path("cluster_health");
      Set<String> members = new HashSet<>();
      cluster.path("node_names").forEach(name -> members.add(name.asText()));
      return members.isEmpty()
          ? Optional.empty()
          : Optional.of(
              new NodeHealth(cluster.path("health_status").asText(), Set.copyOf(members)));
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
