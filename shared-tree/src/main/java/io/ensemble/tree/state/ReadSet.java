package io.ensemble.tree.state;

import io.ensemble.tree.TreePath;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * What a transaction has read, path by path and part by part, so that it meets only changes of what
 * it has read. A part that is absent counts as read.
 */
public final class ReadSet {

  /** Whether the node exists, and its permissions. */
  public static final int RECORD = 1;

  /** The value. */
  public static final int VALUE = 2;

  /** The names of the children. */
  public static final int CHILDREN = 4;

  /** The node and everything below it. */
  public static final int SUBTREE = 8;

  private static final int ALL = 16;

  private final NavigableMap<TreePath, Integer> parts = new TreeMap<>();
  private boolean hasSubtrees;

  /** Adds parts of a node. */
  public void add(TreePath path, int read) {
    parts.merge(path, read, (one, other) -> one | other);
    hasSubtrees |= (read & SUBTREE) != 0;
  }

  /** The number of paths. */
  public int size() {
    return parts.size();
  }

  /** The paths with the sums of their parts. */
  public Map<TreePath, Integer> parts() {
    return parts;
  }

  /** Whether a commit wrote something that was read. */
  public boolean meets(WrittenPath written) {
    int kinds = written.kinds();
    TreePath path = written.path();
    int read = parts.getOrDefault(path, 0);
    if ((kinds & WrittenPath.VALUE) != 0 && (read & VALUE) != 0
        || (kinds & WrittenPath.PERMISSIONS) != 0 && (read & RECORD) != 0
        || (kinds & WrittenPath.CREATED) != 0 && (read & (RECORD | VALUE)) != 0) {
      return true;
    }
    boolean isRemoval = (kinds & WrittenPath.REMOVED) != 0;
    if (isRemoval || (kinds & WrittenPath.CREATED) != 0) {
      TreePath parent = path.parent();
      if (parent != null && (parts.getOrDefault(parent, 0) & CHILDREN) != 0) {
        return true;
      }
    }
    if (isRemoval) {
      TreePath next = parts.ceilingKey(path);
      if (next != null && path.contains(next)) {
        return true;
      }
    }
    if (hasSubtrees) {
      for (TreePath at = path; at != null; at = at.parent()) {
        if ((parts.getOrDefault(at, 0) & SUBTREE) != 0) {
          return true;
        }
      }
    }
    return false;
  }

  void write(TreeOutput out) {
    out.number(parts.size());
    parts.forEach(
        (path, read) -> {
          out.octet(read);
          out.path(path);
        });
  }

  static ReadSet read(TreeInput in) {
    ReadSet set = new ReadSet();
    for (int left = in.count(); left > 0; left--) {
      int read = in.index(ALL);
      set.add(in.path(), read);
    }
    return set;
  }
}
