package io.ensemble.site.hotrod;

import io.ensemble.site.hotrod.configuration.Endpoint;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/**
 * The key by which the name of a store identifies the node that holds it. The last eight digits of
 * the name are a hash of the node's {@code host:port}, after the eight of its token. So the node is
 * chosen before the store is created. Two processes that complete one store complete it at one
 * node, and a record that names the store names its node.
 */
public final class NodeKey {

  private static final Pattern STORE =
      Pattern.compile(".*\\.[0-9a-f]{24}\\.[0-9a-f]{8}([0-9a-f]{8})");

  private NodeKey() {}

  /** The eight digits of a node. */
  public static String of(Endpoint node) {
    CRC32C hash = new CRC32C();
    hash.update(node.toString().getBytes(StandardCharsets.UTF_8));
    return "%08x".formatted(hash.getValue());
  }

  /** The digits at the end of a store's name; empty if its site decides which nodes hold it. */
  static Optional<String> in(String store) {
    Matcher name = STORE.matcher(store);
    return name.matches() ? Optional.of(name.group(1)) : Optional.empty();
  }

  /** The node of a store; empty if it is none of {@code nodes}. */
  static Optional<Endpoint> find(String key, List<Endpoint> nodes) {
    return nodes.stream().filter(node -> of(node).equals(key)).findFirst();
  }
}
