package io.ensemble.tree;

import java.util.List;

/**
 * A change of a watched node or of nodes below it, or the end of the tree.
 *
 * @param watched the path of the watch
 * @param commit the commit that made it; with a gap, the last commit that may have; with a deleted
 *     tree, the last commit that the watch has looked at
 * @param paths what it changed at or below the watched path, or the removed node above it; empty if
 *     the kind is not {@code CHANGE}
 */
public record TreeEvent(TreePath watched, long commit, List<TreePath> paths, Kind kind) {

  /** What an event reports. */
  public enum Kind {
    /** One commit. */
    CHANGE,
    /**
     * The watch was late, so that single commits are not known any more: the node or nodes below it
     * changed, once or several times, or were created and removed.
     */
    GAP,
    /** The tree was deleted. This is the last event of the watch. */
    TREE_DELETED
  }

  /** Whether single commits are not known. */
  public boolean isGap() {
    return kind == Kind.GAP;
  }

  /** Whether the tree was deleted. */
  public boolean isTreeDeleted() {
    return kind == Kind.TREE_DELETED;
  }
}
