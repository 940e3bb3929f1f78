package io.ensemble.registers.algorithm;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads the entries of all participants in a map. An entry whose writing has ended before the
 * collect began is found. Each entry is read on its own: the result is no snapshot.
 *
 * @param map the map, in the round in which it is read
 * @param tree the tree that has the nodes of the participants
 * @param unread the nodes whose entries are read next
 * @param found the entries that were read, by nodes
 */
record Collect(
    Round map,
    Round tree,
    KnownNodes known,
    List<String> unread,
    SortedMap<String, RegisterValue> found,
    boolean isAnswered)
    implements Frame {

  /** The entries by nodes, and what is known of the tree then. */
  record Entries(SortedMap<String, RegisterValue> values, KnownNodes known) {}

  static Collect of(Round map, Round tree, KnownNodes known) {
    return new Collect(map, tree, known, List.copyOf(known.nodes()), new TreeMap<>(), false);
  }

  static String entry(String node) {
    return "of-" + node;
  }

  private String mark(String node) {
    return tree.part(ParticipantTree.part(node)).register(Splitter.LAST);
  }

  @Override
  public Move resume(@Nullable Object answer) {
    if (!isAnswered) {
      List<String> registers = new ArrayList<>();
      unread.forEach(node -> registers.add(map.register(entry(node))));
      known.frontier().forEach(node -> registers.add(mark(node)));
      return new Move.ReadAll(registers, new Collect(map, tree, known, unread, found, true));
    }
    Map<?, ?> cells = (Map<?, ?>) Objects.requireNonNull(answer);
    SortedMap<String, RegisterValue> values = new TreeMap<>(found);
    for (String node : unread) {
      RegisterValue value = map.view(cells.get(map.register(entry(node))));
      if (value != null) {
        values.put(node, value);
      }
    }
    List<String> entered =
        known.frontier().stream().filter(node -> tree.view(cells.get(mark(node))) != null).toList();
    if (entered.isEmpty()) {
      return new Move.Return(new Entries(values, known));
    }
    return new Collect(map, tree, known.with(entered), entered, values, false).resume(null);
  }
}
