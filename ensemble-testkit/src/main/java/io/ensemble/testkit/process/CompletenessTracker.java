package io.ensemble.testkit.process;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Tracks which nodes of a persistent site hold every write that the site has acknowledged, and
 * marks them on disk. A node is complete while it forms a healthy site with every node that
 * answers. It loses the mark when it dies, becomes silent, or is left out while others continue.
 * The mark is removed before the others can acknowledge a write without the node, because they wait
 * 1 s or more until they declare a peer dead. Nodes that end together keep the mark, because none
 * continued. Thread-safe.
 */
final class CompletenessTracker {

  private final List<ServerNode> nodes;
  private volatile boolean endingTogether;

  CompletenessTracker(List<ServerNode> nodes) {
    this.nodes = nodes;
  }

  /** Runs {@code end}, which ends all nodes together. */
  void endTogether(Runnable end) {
    endingTogether = true;
    try {
      end.run();
    } finally {
      endingTogether = false;
    }
  }

  /** The process of a node has ended. */
  void ended(ServerNode node) {
    boolean othersGoOn = nodes.stream().anyMatch(other -> other != node && other.isAlive());
    if (!endingTogether && othersGoOn) {
      node.files().setComplete(false);
    }
  }

  /** Queries all nodes, and marks them. No effect unless the site persists. */
  synchronized void markNodes(boolean persistent) {
    if (!persistent || endingTogether) {
      return;
    }
    Map<ServerNode, NodeHealth> healthByNode = new HashMap<>();
    nodes.forEach(node -> node.health().ifPresent(health -> healthByNode.put(node, health)));
    boolean someoneIsHealthy = healthByNode.values().stream().anyMatch(NodeHealth::isHealthy);
    if (!someoneIsHealthy || endingTogether) {
      return;
    }
    for (ServerNode node : nodes) {
      if (node.isAlive() || node.files().isComplete()) {
        node.files().setComplete(isComplete(node, healthByNode));
      }
    }
  }

  private static boolean isComplete(ServerNode node, Map<ServerNode, NodeHealth> healthByNode) {
    NodeHealth own = healthByNode.get(node);
    return own != null
        && own.isHealthy()
        && healthByNode.entrySet().stream()
            .allMatch(
                other ->
                    own.members().contains(other.getKey().name())
                        && other.getValue().members().contains(node.name()));
  }
}
