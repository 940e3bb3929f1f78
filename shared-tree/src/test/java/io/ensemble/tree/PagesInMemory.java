package io.ensemble.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.tree.runtime.MissingPageException;
import io.ensemble.tree.runtime.TreePages;
import io.ensemble.tree.state.PageId;
import io.ensemble.tree.state.TreePage;
import io.ensemble.tree.state.TreePage.PageReference;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Pages in a map, as bytes. */
public class PagesInMemory implements TreePages {

  final Map<PageId, byte[]> pages = new HashMap<>();
  final Map<Long, List<PageId>> replaced = new HashMap<>();
  int reads;

  @Override
  public TreePage read(PageId id) {
    reads++;
    byte[] bytes = pages.get(id);
    if (bytes == null) {
      throw MissingPageException.of(id);
    }
    return TreePage.decoded(id, bytes);
  }

  @Override
  public Optional<TreePage> cached(PageId id) {
    return Optional.ofNullable(pages.get(id)).map(bytes -> TreePage.decoded(id, bytes));
  }

  @Override
  public void readAll(Collection<PageId> ids) {}

  @Override
  public void write(long checkpoint, Map<PageId, byte[]> written, List<PageId> ids) {
    pages.putAll(written);
    replaced.put(checkpoint, ids);
  }

  @Override
  public void removeReplaced(long checkpoint) {
    List<PageId> ids = replaced.remove(checkpoint);
    if (ids != null) {
      ids.forEach(pages::remove);
    }
  }

  @Override
  public void discard(Collection<PageId> ids, long checkpoint) {
    ids.forEach(pages::remove);
    replaced.remove(checkpoint);
  }

  /** All pages of a tree; checks that references say what is in them. */
  Set<PageId> reachable(Optional<PageReference> root) {
    Set<PageId> all = new HashSet<>();
    root.ifPresent(reference -> reach(reference, all));
    return all;
  }

  private void reach(PageReference reference, Set<PageId> all) {
    assertThat(all.add(reference.id())).isTrue();
    TreePage page = read(reference.id());
    if (page instanceof TreePage.Inner inner) {
      assertThat(inner.references()).isNotEmpty();
      assertThat(reference.first()).isLessThanOrEqualTo(inner.references().get(0).first());
      assertThat(inner.buffer().paths()).isSorted();
      for (int i = 0; i < inner.references().size(); i++) {
        PageReference child = inner.references().get(i);
        assertThat(child.level()).isEqualTo(reference.level() - 1);
        if (i > 0) {
          assertThat(child.first()).isGreaterThan(inner.references().get(i - 1).first());
        }
        reach(child, all);
      }
    } else if (page instanceof TreePage.Leaf leaf) {
      assertThat(reference.level()).isZero();
      assertThat(reference.first()).isEqualTo(leaf.paths().get(0));
      assertThat(leaf.paths()).isSorted();
    }
  }
}
