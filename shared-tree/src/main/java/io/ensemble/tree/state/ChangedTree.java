package io.ensemble.tree.state;

import io.ensemble.tree.TreePath;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Changes above a tree that stays as it is. */
public final class ChangedTree implements TreeView {

  /** What the changes make of the record under a path. */
  static final class Patch {
    /** Whether the record below is removed, with all below it. */
    boolean isCut;

    NodePatch record = NodePatch.NONE;
  }

  private final TreeView below;
  private final NavigableMap<TreePath, Patch> patches = new TreeMap<>();
  private final TreeSet<TreePath> created = new TreeSet<>();
  private int cuts;

  public ChangedTree(TreeView below) {
    this.below = below;
  }

  /** The patches by path. */
  NavigableMap<TreePath, Patch> patches() {
    return patches;
  }

  /** Makes all changes of a commit. */
  public void apply(LoggedCommit commit) {
    commit.changes().forEach(change -> apply(change, commit.number()));
  }

  /** Makes one change, which must be possible. */
  public void apply(TreeChange change, long commit) {
    TreePath path = change.path();
    if (change instanceof TreeChange.Create create) {
      patch(
          path,
          NodePatch.created(NodeRecord.createdBy(commit, create.value(), create.permissions())));
      created.add(path);
      parentChanged(path, commit);
    } else if (change instanceof TreeChange.SetValue set) {
      patch(path, NodePatch.value(set.value(), commit));
    } else if (change instanceof TreeChange.SetPermissions set) {
      patch(path, NodePatch.permissions(set.permissions(), commit));
    } else {
      remove(path, commit);
    }
  }

  private void remove(TreePath path, long commit) {
    NavigableMap<TreePath, Patch> within = patches.subMap(path, true, path.afterSubtree(), true);
    cuts -= (int) within.values().stream().filter(patch -> patch.isCut).count();
    within.clear();
    created.subSet(path, true, path.afterSubtree(), true).clear();
    patches.computeIfAbsent(path, absent -> new Patch()).isCut = true;
    cuts++;
    parentChanged(path, commit);
  }

  private void patch(TreePath path, NodePatch more) {
    Patch patch = patches.computeIfAbsent(path, absent -> new Patch());
    patch.record = more.after(patch.record);
  }

  private void parentChanged(TreePath path, long commit) {
    TreePath parent = path.parent();
    if (parent != null) {
      patch(parent, NodePatch.childrenChanged(commit));
    }
  }

  /** The highest path at or above {@code path} that is cut; null for none. */
  @Nullable TreePath cutAbove(TreePath path) {
    TreePath highest = null;
    if (cuts > 0) {
      for (TreePath at = path; at != null; at = at.parent()) {
        Patch patch = patches.get(at);
        if (patch != null && patch.isCut) {
          highest = at;
        }
      }
    }
    return highest;
  }

  /** Whether a path in a range is cut; a bound that is null excludes nothing. */
  boolean hasCut(@Nullable TreePath from, @Nullable TreePath end) {
    if (cuts == 0) {
      return false;
    }
    NavigableMap<TreePath, Patch> tail = from == null ? patches : patches.tailMap(from, true);
    return (end == null ? tail : tail.headMap(end, false))
        .values().stream().anyMatch(patch -> patch.isCut);
  }

  @Override
  public @Nullable NodeRecord find(TreePath path) {
    Patch patch = patches.get(path);
    if (patch != null && patch.record.created() != null) {
      return patch.record.created();
    }
    NodeRecord record = cutAbove(path) != null ? null : below.find(path);
    return record == null || patch == null ? record : patch.record.on(record);
  }

  @Override
  public @Nullable TreePath next(TreePath bound) {
    TreePath added = created.higher(bound);
    TreePath old = below.next(bound);
    while (old != null) {
      TreePath cut = cutAbove(old);
      if (cut == null) {
        break;
      }
      old = below.next(cut.afterSubtree());
    }
    return added == null || old != null && old.compareTo(added) < 0 ? old : added;
  }
}
