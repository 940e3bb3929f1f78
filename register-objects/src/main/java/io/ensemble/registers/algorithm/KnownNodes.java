package io.ensemble.registers.algorithm;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The nodes of a {@link ParticipantTree} that a process knows to be entered. A node is named by the
 * way from the root, as in {@code RLR}.
 */
public record KnownNodes(SortedSet<String> nodes) {

  public static final KnownNodes NONE = new KnownNodes(new TreeSet<>());

  public KnownNodes {
    nodes = Collections.unmodifiableSortedSet(new TreeSet<>(nodes));
  }

  KnownNodes with(Collection<String> more) {
    SortedSet<String> all = new TreeSet<>(nodes);
    all.addAll(more);
    return new KnownNodes(all);
  }

  /** The nodes directly behind the known ones. */
  List<String> frontier() {
    if (nodes.isEmpty()) {
      return List.of("");
    }
    List<String> frontier = new ArrayList<>();
    for (String node : nodes) {
      for (String child : List.of(node + "L", node + "R")) {
        if (!nodes.contains(child)) {
          frontier.add(child);
        }
      }
    }
    return frontier;
  }
}
