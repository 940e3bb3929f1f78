package io.ensemble.tree.state;

import io.ensemble.tree.NodePermissions;
import io.ensemble.tree.TreePath;

/** One change of a transaction. */
public sealed interface TreeChange {

  /** The node that it changes. */
  TreePath path();

  /** Creates a node. */
  record Create(TreePath path, byte[] value, NodePermissions permissions) implements TreeChange {}

  /** Sets the value of a node. */
  record SetValue(TreePath path, byte[] value) implements TreeChange {}

  /** Sets the permissions of a node. */
  record SetPermissions(TreePath path, NodePermissions permissions) implements TreeChange {}

  /** Removes a node and all nodes below it. */
  record Remove(TreePath path) implements TreeChange {}

  private static int kind(TreeChange change) {
    return change instanceof Create
        ? 0
        : change instanceof SetValue ? 1 : change instanceof SetPermissions ? 2 : 3;
  }

  /** Writes a change. */
  static void write(TreeOutput out, TreeChange change) {
    out.octet(kind(change));
    out.path(change.path());
    if (change instanceof Create create) {
      out.block(create.value());
      NodeRecord.write(out, create.permissions());
    } else if (change instanceof SetValue set) {
      out.block(set.value());
    } else if (change instanceof SetPermissions set) {
      NodeRecord.write(out, set.permissions());
    }
  }

  /** Reads a change. */
  static TreeChange read(TreeInput in) {
    int kind = in.index(4);
    TreePath path = in.path();
    return switch (kind) {
      case 0 -> new Create(path, in.block(), NodeRecord.permissions(in));
      case 1 -> new SetValue(path, in.block());
      case 2 -> new SetPermissions(path, NodeRecord.permissions(in));
      default -> new Remove(path);
    };
  }
}
