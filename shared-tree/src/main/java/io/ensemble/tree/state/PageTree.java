package io.ensemble.tree.state;

import io.ensemble.tree.TreePath;
import io.ensemble.tree.state.TreePage.Inner;
import io.ensemble.tree.state.TreePage.Leaf;
import io.ensemble.tree.state.TreePage.PageReference;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The records of one root page: a B+ tree whose pages never change, and whose inner pages hold
 * patches of the records below them. The patches of a page are newer than those below it.
 */
public final class PageTree implements TreeView {

  private final Optional<PageReference> root;
  private final Function<PageId, TreePage> pages;

  /**
   * @param root empty for a tree without records
   * @param pages reads a page
   */
  public PageTree(Optional<PageReference> root, Function<PageId, TreePage> pages) {
    this.root = root;
    this.pages = pages;
  }

  @Override
  public @Nullable NodeRecord find(TreePath path) {
    PageReference at = root.orElse(null);
    NodePatch patch = NodePatch.NONE;
    while (at != null) {
      TreePage page = pages.apply(at.id());
      if (page instanceof Leaf leaf) {
        int found = Collections.binarySearch(leaf.paths(), path);
        return found < 0 ? null : patch.on(leaf.records().get(found));
      }
      Inner inner = (Inner) page;
      NodePatch earlier = inner.buffer().find(path);
      patch = earlier == null ? patch : patch.after(earlier);
      if (patch.created() != null) {
        return patch.created();
      }
      at = child(inner.references(), path);
    }
    return null;
  }

  /** The reference to the page that has the path, if any has; null if all are behind it. */
  private static @Nullable PageReference child(List<PageReference> references, TreePath path) {
    int index = indexAt(references, path);
    return index < 0 ? null : references.get(index);
  }

  /** The last reference whose first path is at or before {@code path}; -1 for none. */
  static int indexAt(List<PageReference> references, TreePath path) {
    int low = 0;
    int high = references.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (references.get(middle).first().compareTo(path) <= 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low - 1;
  }

  @Override
  public @Nullable TreePath next(TreePath bound) {
    return root.map(reference -> next(reference, bound)).orElse(null);
  }

  private @Nullable TreePath next(PageReference reference, TreePath bound) {
    if (reference.first().compareTo(bound) > 0) {
      return reference.first();
    }
    TreePage page = pages.apply(reference.id());
    if (page instanceof Leaf leaf) {
      int found = Collections.binarySearch(leaf.paths(), bound);
      int index = found < 0 ? -found - 1 : found + 1;
      return index == leaf.paths().size() ? null : leaf.paths().get(index);
    }
    Inner inner = (Inner) page;
    TreePath below = next(inner.references(), bound);
    TreePath created = inner.buffer().nextCreated(bound);
    return created == null || below != null && below.compareTo(created) < 0 ? below : created;
  }

  private @Nullable TreePath next(List<PageReference> references, TreePath bound) {
    int index = indexAt(references, bound);
    TreePath within = index < 0 ? null : next(references.get(index), bound);
    if (within != null || index + 1 == references.size()) {
      return within;
    }
    return references.get(index + 1).first();
  }

  /** The last commit that changed a record at or below the path; 0 if there is none. */
  public long lastChange(TreePath path) {
    return root.map(reference -> lastChange(reference, path, path.afterSubtree())).orElse(0L);
  }

  private long lastChange(PageReference reference, TreePath from, TreePath end) {
    TreePage page = pages.apply(reference.id());
    long last = 0;
    if (page instanceof Leaf leaf) {
      for (int i = 0; i < leaf.paths().size(); i++) {
        TreePath path = leaf.paths().get(i);
        if (path.compareTo(from) >= 0 && path.compareTo(end) <= 0) {
          last = Math.max(last, leaf.records().get(i).lastChange());
        }
      }
      return last;
    }
    last = ((Inner) page).buffer().lastChange(from, end);
    List<PageReference> references = ((Inner) page).references();
    for (int i = Math.max(0, indexAt(references, from)); i < references.size(); i++) {
      PageReference child = references.get(i);
      if (child.first().compareTo(end) > 0) {
        break;
      }
      boolean isWhole =
          child.first().compareTo(from) >= 0
              && i + 1 < references.size()
              && references.get(i + 1).first().compareTo(end) <= 0;
      last = Math.max(last, isWhole ? child.lastChange() : lastChange(child, from, end));
    }
    return last;
  }
}
