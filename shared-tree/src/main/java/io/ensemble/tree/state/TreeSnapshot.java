package io.ensemble.tree.state;

import io.ensemble.tree.TreePath;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A tree after one of its commits: the pages, and the log above them. */
public final class TreeSnapshot {

  private final TreeState state;
  private final PageTree pages;
  private final ChangedTree view;

  /**
   * @param state not to be changed
   * @param reader reads a page
   */
  public TreeSnapshot(TreeState state, Function<PageId, TreePage> reader) {
    this.state = state;
    this.pages = new PageTree(state.root(), reader);
    this.view = new ChangedTree(pages);
    state.log(state.last()).forEach(view::apply);
  }

  /** The sequencer's state. */
  public TreeState state() {
    return state;
  }

  /** The records. */
  public TreeView view() {
    return view;
  }

  /** What an owner has. */
  public OwnerUsage usage(String owner) {
    OwnerUsage usage = OwnerRecords.usage(pages, owner);
    for (LoggedCommit commit : state.log(state.last())) {
      usage = usage.plus(commit.usage().getOrDefault(owner, OwnerUsage.NONE));
    }
    return usage;
  }

  /** The quota of an owner. */
  public OwnerUsage quota(String owner) {
    NodeRecord record = view.find(OwnerRecords.quotaPath(owner));
    return record == null
        ? new OwnerUsage(state.settings().maxNodes(), state.settings().maxBytes())
        : OwnerUsage.decoded(record.value());
  }

  /**
   * Distinguishes the states of a node and everything below it: two states with one identity are
   * equal. Where there is no node, the identity is that of its nearest ancestor's children.
   */
  public String identity(TreePath path) {
    NodeRecord record = view.find(path);
    if (record != null) {
      return record.created() + " " + lastChange(path);
    }
    TreePath parent = path.parent();
    for (TreePath at = parent; at != null; at = at.parent()) {
      NodeRecord ancestor = view.find(at);
      if (ancestor != null) {
        return "absent " + at + " " + ancestor.created() + " " + ancestor.childrenChanged();
      }
    }
    return "absent";
  }

  /** The last commit that changed a node or one below it. */
  public long lastChange(TreePath path) {
    long last = pages.lastChange(path);
    for (LoggedCommit commit : state.log(state.last())) {
      if (commit.paths().stream().anyMatch(written -> written.isWithin(path))) {
        last = commit.number();
      }
    }
    return last;
  }

  /** Whether a transaction that read an earlier snapshot would have read the same here. */
  public boolean hasSame(ReadSet reads, TreeSnapshot earlier) {
    for (Map.Entry<TreePath, Integer> read : reads.parts().entrySet()) {
      TreePath path = read.getKey();
      int parts = read.getValue();
      NodeRecord now = view.find(path);
      NodeRecord then = earlier.view.find(path);
      if (!isSame(now, then, parts)
          || (parts & ReadSet.SUBTREE) != 0 && !identity(path).equals(earlier.identity(path))) {
        return false;
      }
    }
    return true;
  }

  private static boolean isSame(@Nullable NodeRecord now, @Nullable NodeRecord then, int parts) {
    if (now == null || then == null) {
      return Objects.equals(now, then);
    }
    return now.created() == then.created()
        && ((parts & ReadSet.RECORD) == 0 || now.permissionsSet() == then.permissionsSet())
        && ((parts & ReadSet.VALUE) == 0 || now.valueSet() == then.valueSet())
        && ((parts & ReadSet.CHILDREN) == 0 || now.childrenChanged() == then.childrenChanged());
  }
}
