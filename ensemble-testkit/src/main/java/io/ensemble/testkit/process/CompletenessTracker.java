package io.ensemble.testkit.process;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Knows which nodes of a site that persists have all that it has acknowledged, and marks them on
 * disk. A node is complete while it forms a healthy site with every node that answers. It loses the
 * mark when it dies, falls silent or is left out while others go on: before they can acknowledge
 * anything without it, for they wait a second or more until they hold a peer for dead. Nodes that
 * end together keep it: nobody went on. Thread-safe.
 */
final class CompletenessTracker {

  private final List<ServerNode> nodes;
  private volatile boolean endingTogether;

  CompletenessTracker(List<ServerNode> nodes) {
    this.nodes = nodes;
  }

  /** Runs {@code end}, by which all nodes end together. */
  void endTogether(Runnable end) {
    endingTogether = true;
    try {
      end.run();
    } finally {
      endingTogether = false;
    }
  }

  /** A node's process is no more. */
  void ended(ServerNode node) {
    boolean othersGoOn = nodes.stream().anyMatch(other -> other != node && other.isAlive());
    if (!endingTogether && othersGoOn) {
      node.files().setComplete(false);
    }
  }

  /** Asks all nodes, and marks them. Without effect unless the site persists. */
  synchronized void look(boolean persistent) {
    if (!persistent || endingTogether) {
      return;
    }
    Map<ServerNode, NodeHealth> said = new HashMap<>();
    nodes.forEach(node -> node.health().ifPresent(health -> said.put(node, health)));
    boolean someoneIsHealthy = said.values().stream().anyMatch(NodeHealth::isHealthy);
    if (!someoneIsHealthy || endingTogether) {
      return;
    }
    for (ServerNode node : nodes) {
      if (node.isAlive() || node.files().isComplete()) {
        node.files().setComplete(isComplete(node, said));
      }
    }
  }

  private static boolean isComplete(ServerNode node, Map<ServerNode, NodeHealth> said) {
    NodeHealth own = said.get(node);
    return own != null
        && own.isHealthy()
        && said.entrySet().stream()
            .allMatch(
                other ->
                    own.members().contains(other.getKey().name())
                        && other.getValue().members().contains(node.name()));
  }
}
