package io.ensemble.tree.state;

import io.ensemble.tree.NodePermissions;
import io.ensemble.tree.TreePath;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which changes a user may see: those of nodes that the user could read directly before the change,
 * or directly after it. So the permissions decide that a node had then: those of a node that was
 * removed since, too, and not those of a node that came later in its place.
 */
public final class ReadableChanges {

  private static final byte[] NO_VALUE = {};

  /** Only the permissions are kept up to date. */
  private final ChangedTree permissions;

  private final Predicate<NodePermissions> mayRead;

  /**
   * @param before the records before the first commit
   * @param mayRead whether the user may read a node with these permissions
   */
  public ReadableChanges(TreeView before, Predicate<NodePermissions> mayRead) {
    this.permissions = new ChangedTree(before);
    this.mayRead = mayRead;
  }

  /**
   * What the next commit changed at {@code watched} or below, or the removed node above it, as far
   * as the user may see it. Each commit has to be passed, in their order.
   */
  public List<TreePath> next(LoggedCommit commit, TreePath watched) {
    Set<TreePath> paths = new LinkedHashSet<>();
    for (WrittenPath written : commit.paths()) {
      boolean isWithin = written.isWithin(watched);
      TreePath judged = watched.contains(written.path()) ? written.path() : watched;
      boolean wasReadable = isWithin && isReadable(judged);
      TreeChange change = change(written);
      if (change != null) {
        permissions.apply(change, commit.number());
      }
      if (wasReadable || isWithin && isReadable(judged)) {
        paths.add(written.path());
      }
    }
    return List.copyOf(paths);
  }

  private boolean isReadable(TreePath path) {
    NodeRecord record = permissions.find(path);
    return record != null && mayRead.test(record.permissions());
  }

  /** What a written path does to permissions; null for nothing. */
  private static @Nullable TreeChange change(WrittenPath written) {
    NodePermissions set = written.permissions();
    if (set != null) {
      return written.kinds() == WrittenPath.CREATED
          ? new TreeChange.Create(written.path(), NO_VALUE, set)
          : new TreeChange.SetPermissions(written.path(), set);
    }
    return written.kinds() == WrittenPath.REMOVED ? new TreeChange.Remove(written.path()) : null;
  }

  /** Whether a user may read a node, or the nearest one above it if there is none. */
  public static boolean mayReadNearest(
      TreeView view, TreePath path, Predicate<NodePermissions> mayRead) {
    for (TreePath at = path; at != null; at = at.parent()) {
      NodeRecord record = view.find(at);
      if (record != null) {
        return mayRead.test(record.permissions());
      }
    }
    return false;
  }
}
