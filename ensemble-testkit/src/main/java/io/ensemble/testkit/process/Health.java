package io.ensemble.testkit.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * What a node says of itself and its site.
 *
 * @param status of all its caches, in Infinispan's words
 * @param members the names of the nodes that it forms the site with, itself included
 */
record Health(String status, Set<String> members) {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String BASE = "http://127.0.0.1:%d/rest/v2/container/health";
  private static final String HEALTHY = "HEALTHY";
  private static final String DEGRADED = "DEGRADED";

  /** Whether every cache is there as it must be, and none is moving its entries. */
  boolean isHealthy() {
    return status.equals(HEALTHY);
  }

  /** Whether a cache has lost so many nodes that it refuses everyone. */
  boolean isDegraded() {
    return status.equals(DEGRADED);
  }

  /** Whether the node that serves {@code port} has started and is as it must be. */
  static boolean isHealthy(int port, int millis) {
    return read(BASE.formatted(port) + "/status", millis).filter(HEALTHY::equals).isPresent();
  }

  /** What it says within {@code millis}; empty when it says nothing that can be understood. */
  static Optional<Health> of(int port, int millis) {
    return read(BASE.formatted(port), millis).flatMap(Health::parsed);
  }

  private static Optional<Health> parsed(String text) {
    try {
      JsonNode cluster = JSON.readTree(text).path("cluster_health");
      Set<String> members = new HashSet<>();
      cluster.path("node_names").forEach(name -> members.add(name.asText()));
      return members.isEmpty()
          ? Optional.empty()
          : Optional.of(new Health(cluster.path("health_status").asText(), Set.copyOf(members)));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static Optional<String> read(String address, int millis) {
    HttpURLConnection connection = null;
    try {
      connection = (HttpURLConnection) new URL(address).openConnection();
      connection.setConnectTimeout(millis);
      connection.setReadTimeout(millis);
      if (connection.getResponseCode() != HttpURLConnection.HTTP_OK) {
        return Optional.empty();
      }
      try (InputStream in = connection.getInputStream()) {
        return Optional.of(new String(in.readAllBytes(), UTF_8).strip());
      }
    } catch (IOException silent) {
      return Optional.empty();
    } finally {
      if (connection != null) {
        connection.disconnect();
      }
    }
  }
}
