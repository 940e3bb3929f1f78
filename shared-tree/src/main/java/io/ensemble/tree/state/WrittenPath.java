package io.ensemble.tree.state;

import io.ensemble.tree.TreePath;
import java.util.ArrayList;
import java.util.List;

/**
 * What a commit wrote at a path, without the values.
 *
 * @param kinds a sum of {@link #VALUE}, {@link #PERMISSIONS}, {@link #CREATED} and {@link #REMOVED}
 */
public record WrittenPath(TreePath path, int kinds) {

  /** The value was set. */
  public static final int VALUE = 1;

  /** The permissions were set. */
  public static final int PERMISSIONS = 2;

  /** The node was created. */
  public static final int CREATED = 4;

  /** The node was removed with all below it; perhaps it was then created again. */
  public static final int REMOVED = 8;

  private static final int ALL = 16;

  static WrittenPath of(TreeChange change) {
    return new WrittenPath(
        change.path(),
        change instanceof TreeChange.Create
            ? CREATED
            : change instanceof TreeChange.SetValue
                ? VALUE
                : change instanceof TreeChange.SetPermissions ? PERMISSIONS : REMOVED);
  }

  /** Whether the node, or one below it, was changed. */
  public boolean isWithin(TreePath watched) {
    return watched.contains(path) || (kinds & REMOVED) != 0 && path.contains(watched);
  }

  static void writeAll(TreeOutput out, List<WrittenPath> all) {
    out.number(all.size());
    for (WrittenPath written : all) {
      out.octet(written.kinds);
      out.path(written.path);
    }
  }

  static List<WrittenPath> readAll(TreeInput in) {
    int count = in.count();
    List<WrittenPath> all = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int kinds = in.index(ALL);
      all.add(new WrittenPath(in.path(), kinds));
    }
    return all;
  }
}
