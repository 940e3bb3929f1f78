package io.ensemble.tree.state;

import io.ensemble.tree.TreePath;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Records under paths, at one moment. */
public interface TreeView {

  /** A tree without records. */
  TreeView EMPTY =
      new TreeView() {
        @Override
        public @Nullable NodeRecord find(TreePath path) {
          return null;
        }

        @Override
        public @Nullable TreePath next(TreePath bound) {
          return null;
        }
      };

  /** The record under a path; null if there is none. */
  @Nullable NodeRecord find(TreePath path);

  /** The first path with a record after {@code bound}; null if there is none. */
  @Nullable TreePath next(TreePath bound);

  /**
   * Visits the children of a node, in order.
   *
   * @param after only children after this name; empty for all
   * @param visit returns false to end
   */
  default void children(TreePath parent, String after, Predicate<TreePath> visit) {
    TreePath bound =
        after.isEmpty() ? parent : TreePath.decoded(parent.encoded() + "/" + after).afterSubtree();
    while (true) {
      TreePath next = next(bound);
      if (next == null || !parent.contains(next) || !visit.test(next)) {
        return;
      }
      bound = next.afterSubtree();
    }
  }

  /** Visits a node, if it exists, and all nodes below it, in order. */
  default void subtree(TreePath root, Consumer<TreePath> visit) {
    if (find(root) == null) {
      return;
    }
    for (TreePath at = root; at != null && root.contains(at); at = next(at)) {
      visit.accept(at);
    }
  }
}
