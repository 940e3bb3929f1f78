package io.ensemble.tree;

import java.util.List;

/**
 * A change of a watched node or of nodes below it.
 *
 * @param watched the path of the watch
 * @param commit the commit that made it; with a gap, the last commit that may have
 * @param paths what it changed at or below the watched path, or the removed node above it; empty
 *     with a gap
 * @param isGap whether the watch was late, so that single commits are not known any more: the node
 *     or nodes below it changed, once or several times, or were created and removed
 */
public record TreeEvent(TreePath watched, long commit, List<TreePath> paths, boolean isGap) {}
