package io.ensemble.tree.runtime;

import io.ensemble.tree.TreeException;
import io.ensemble.tree.state.PageId;
import io.ensemble.tree.state.TreePage;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Where the pages of a tree are. Blocks. Each request is retried until the store answers; fails
 * with {@link TreeException.NotApplied} if it does not. A write may then still be made.
 */
public interface TreePages {

  /**
   * Reads a page.
   *
   * @throws MissingPageException if it is not there
   */
  TreePage read(PageId id);

  /** A page, if this process has a copy. */
  Optional<TreePage> cached(PageId id);

  /** Reads pages at the same time, so that copies of them are here. */
  void readAll(Collection<PageId> ids);

  /**
   * Writes the pages of a checkpoint, and which pages it replaces, at the same time. Others may
   * have written them before.
   */
  void write(long checkpoint, Map<PageId, byte[]> pages, List<PageId> replaced);

  /** Removes the pages of a checkpoint that is not needed, and its list of replaced pages. */
  void discard(Collection<PageId> pages, long checkpoint);

  /** Removes the pages that a checkpoint has replaced, then the list of them. */
  void removeReplaced(long checkpoint);
}
