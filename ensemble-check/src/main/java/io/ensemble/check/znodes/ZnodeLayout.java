package io.ensemble.check.znodes;

import io.ensemble.zoofence.flattening.Flattening;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The znodes of a trial: some on one instance, some on several, and some on one instance below a
 * znode on several.
 *
 * @param root the path of their common parent
 * @param registers are created, changed and removed
 * @param pairs are created, changed and removed two at a time, in one transaction
 * @param orders are changed the first before the second, without waiting
 * @param named have children with sequential names
 * @param live have ephemeral children
 */
public record ZnodeLayout(
    String root,
    List<LayoutNode> registers,
    List<NodePair> pairs,
    List<NodePair> orders,
    List<LayoutNode> named,
    List<LayoutNode> live) {

  private static final String AT_ONE = "/at1";
  private static final String AT_TWO = "/at2";
  private static final String AT_ALL = "/all";
  private static final String AT_SOME = "/some";
  private static final String EDGE = "/edge";
  private static final List<String> DIRECTORIES = List.of(AT_ONE, AT_ALL, EDGE, AT_TWO, AT_SOME);
  private static final List<String> OF_CHILDREN = List.of(AT_ONE, AT_ALL, EDGE);

  /**
   * A znode.
   *
   * @param path its path
   * @param madeByQueue whether several instances must create and remove it together
   * @param setByQueue whether several instances hold its data
   */
  public record LayoutNode(String path, boolean madeByQueue, boolean setByQueue) {}

  /** Two znodes that are used together. */
  public record NodePair(LayoutNode first, LayoutNode second) {

    /** The name of both, as one object. */
    String key() {
      return first.path() + " " + second.path();
    }
  }

  /** Copies the lists. */
  public ZnodeLayout {
    registers = List.copyOf(registers);
    pairs = List.copyOf(pairs);
    orders = List.copyOf(orders);
    named = List.copyOf(named);
    live = List.copyOf(live);
  }

  /** The rules of a flattening for a trial of its own. */
  public static String rules(String root, int instances) {
    String some = instances == 2 ? "*" : "1,2";
    return """
    %1$s/at1 1
    %1$s/at2 2
    %1$s/some %2$s
    %1$s/edge hash 1
    """
        .formatted(root, some);
  }

  /** The znodes, with their instances by a flattening. */
  public static ZnodeLayout of(String root, int keys, Flattening flattening) {
    List<LayoutNode> registers =
        IntStream.range(0, keys)
            .mapToObj(
                key ->
                    node(
                        root + DIRECTORIES.get(key % DIRECTORIES.size()) + "/key-" + key,
                        flattening))
            .toList();
    return new ZnodeLayout(
        root,
        registers,
        List.of(
            pair(root, AT_ONE, AT_TWO, "/pair-0", flattening),
            pair(root, AT_ALL, AT_TWO, "/pair-1", flattening)),
        List.of(
            pair(root, AT_ONE, AT_TWO, "/order-0", flattening),
            pair(root, AT_TWO, AT_ALL, "/order-1", flattening),
            pair(root, AT_ALL, AT_ONE, "/order-2", flattening)),
        OF_CHILDREN.stream().map(at -> node(root + at + "/names", flattening)).toList(),
        OF_CHILDREN.stream().map(at -> node(root + at + "/live", flattening)).toList());
  }

  private static NodePair pair(
      String root, String first, String second, String name, Flattening flattening) {
    return new NodePair(
        node(root + first + name, flattening), node(root + second + name, flattening));
  }

  private static LayoutNode node(String path, Flattening flattening) {
    return new LayoutNode(
        path, !flattening.holdersOfParent(path).isSingle(), !flattening.holders(path).isSingle());
  }

  /** The znodes that must exist before clients begin, parents first. */
  List<String> directories() {
    List<String> all = new ArrayList<>(List.of(root));
    DIRECTORIES.forEach(at -> all.add(root + at));
    Stream.concat(named.stream(), live.stream()).forEach(spot -> all.add(spot.path()));
    return all;
  }

  /** All znodes that are judged singly. */
  List<LayoutNode> single() {
    return Stream.concat(
            registers.stream(),
            orders.stream().flatMap(two -> Stream.of(two.first(), two.second())))
        .toList();
  }
}
