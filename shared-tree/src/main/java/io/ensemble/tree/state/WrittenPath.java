package io.ensemble.tree.state;

import io.ensemble.tree.NodePermissions;
import io.ensemble.tree.TreePath;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a commit wrote at a path, without the values.
 *
 * @param kinds one of {@link #VALUE}, {@link #PERMISSIONS}, {@link #CREATED} and {@link #REMOVED}
 * @param permissions those that a created node got, or that were set; otherwise null
 */
public record WrittenPath(TreePath path, int kinds, @Nullable NodePermissions permissions) {

  /** The value was set. */
  public static final int VALUE = 1;

  /** The permissions were set. */
  public static final int PERMISSIONS = 2;

  /** The node was created. */
  public static final int CREATED = 4;

  /** The node was removed with all below it; perhaps it was then created again. */
  public static final int REMOVED = 8;

  /** In the bytes: the permissions are those of the path before it. */
  private static final int SAME_PERMISSIONS = 16;

  private static final int ALL = 32;

  static WrittenPath of(TreeChange change) {
    if (change instanceof TreeChange.Create create) {
      return new WrittenPath(create.path(), CREATED, create.permissions());
    }
    if (change instanceof TreeChange.SetPermissions set) {
      return new WrittenPath(set.path(), PERMISSIONS, set.permissions());
    }
    return new WrittenPath(
        change.path(), change instanceof TreeChange.SetValue ? VALUE : REMOVED, null);
  }

  /**
   * The paths of some changes, each once. Of equal ones the last one stays, so that in their order
   * they give each node the permissions that the changes give it. Of equal {@link #VALUE}s the
   * first one stays: the node may be removed after it, with one above, and be created again.
   */
  static List<WrittenPath> of(List<TreeChange> changes) {
    Set<WrittenPath> paths = new LinkedHashSet<>();
    for (TreeChange change : changes) {
      WrittenPath written = of(change);
      if (written.kinds != VALUE) {
        paths.remove(written);
      }
      paths.add(written);
    }
    return List.copyOf(paths);
  }

  /** Whether the node, or one below it, was changed. */
  public boolean isWithin(TreePath watched) {
    return watched.contains(path) || (kinds & REMOVED) != 0 && path.contains(watched);
  }

  static void writeAll(TreeOutput out, List<WrittenPath> all) {
    out.number(all.size());
    NodePermissions before = null;
    for (WrittenPath written : all) {
      boolean isSame = written.permissions != null && written.permissions.equals(before);
      out.octet(written.kinds + (isSame ? SAME_PERMISSIONS : 0));
      out.path(written.path);
      if (written.permissions != null && !isSame) {
        NodeRecord.write(out, written.permissions);
        before = written.permissions;
      }
    }
  }

  static List<WrittenPath> readAll(TreeInput in) {
    int count = in.count();
    List<WrittenPath> all = new ArrayList<>(count);
    NodePermissions before = null;
    for (int i = 0; i < count; i++) {
      int kinds = in.index(ALL);
      TreePath path = in.path();
      if ((kinds & (CREATED | PERMISSIONS)) != 0 && (kinds & SAME_PERMISSIONS) == 0) {
        before = NodeRecord.permissions(in);
      }
      boolean hasPermissions = (kinds & (CREATED | PERMISSIONS)) != 0;
      if (hasPermissions && before == null) {
        throw new IllegalArgumentException("a created node has no permissions");
      }
      all.add(new WrittenPath(path, kinds & ~SAME_PERMISSIONS, hasPermissions ? before : null));
    }
    return all;
  }
}
