package io.ensemble.tree;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A tree in one map, with one lock in mind: what a transaction reads and writes, node by node. */
final class NaiveTree {

  /**
   * An operation.
   *
   * @param kind read, write, create, remove or children
   */
  record Operation(String kind, String path, String value) {}

  /** What was read or written: a node, its children, or all below it. */
  record Part(String kind, String path) {}

  final Map<String, String> nodes = new TreeMap<>();

  NaiveTree() {
    nodes.put("/", "");
  }

  NaiveTree copy() {
    NaiveTree copy = new NaiveTree();
    copy.nodes.clear();
    copy.nodes.putAll(nodes);
    return copy;
  }

  static @Nullable String parent(String path) {
    if (path.equals("/")) {
      return null;
    }
    int end = path.lastIndexOf('/');
    return end == 0 ? "/" : path.substring(0, end);
  }

  static boolean isBelow(String path, String other) {
    return other.equals(path) || other.startsWith(path.equals("/") ? "/" : path + "/");
  }

  List<String> children(String path) {
    List<String> names = new ArrayList<>();
    for (String node : nodes.keySet()) {
      if (path.equals(parent(node))) {
        names.add(node.substring(node.lastIndexOf('/') + 1));
      }
    }
    names.sort(null);
    return names;
  }

  /** Makes one operation; adds what it read and wrote. */
  String make(Operation operation, Set<Part> reads, Set<Part> writes) {
    String path = operation.path();
    reads.add(new Part("node", path));
    boolean exists = nodes.containsKey(path);
    switch (operation.kind()) {
      case "read":
        return exists ? nodes.get(path) : "absent";
      case "children":
        reads.add(new Part("children", path));
        return exists ? children(path).toString() : "absent";
      case "create":
        if (exists) {
          return "exists";
        }
        return write(path, operation.value(), reads, writes);
      case "write":
        return write(path, operation.value(), reads, writes);
      case "remove":
        if (!exists) {
          return "absent";
        }
        reads.add(new Part("node", String.valueOf(parent(path))));
        reads.add(new Part("subtree", path));
        writes.add(new Part("removed", path));
        nodes.keySet().removeIf(node -> isBelow(path, node));
        return "removed";
      default:
        throw new IllegalArgumentException(operation.kind());
    }
  }

  private String write(String path, String value, Set<Part> reads, Set<Part> writes) {
    if (!nodes.containsKey(path)) {
      for (String at = path; at != null; at = parent(at)) {
        reads.add(new Part("node", at));
        if (nodes.containsKey(at)) {
          break;
        }
        nodes.put(at, "");
        writes.add(new Part("created", at));
      }
    }
    nodes.put(path, value);
    writes.add(new Part("value", path));
    return "written";
  }

  /** Whether something that was written was read. */
  static boolean meets(Set<Part> writes, Set<Part> reads) {
    for (Part write : writes) {
      for (Part read : reads) {
        boolean isNode = read.kind().equals("node") && read.path().equals(write.path());
        boolean isChild =
            read.kind().equals("children")
                && !write.kind().equals("value")
                && read.path().equals(parent(write.path()));
        boolean isBelow = read.kind().equals("subtree") && isBelow(read.path(), write.path());
        boolean isRemoved = write.kind().equals("removed") && isBelow(write.path(), read.path());
        if (isNode || isChild || isBelow || isRemoved) {
          return true;
        }
      }
    }
    return false;
  }

  static Set<Part> parts() {
    return new HashSet<>();
  }
}
