package io.ensemble.tree.runtime;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.ensemble.tree.state.PageId;
import io.ensemble.tree.state.TreePage;
import org.jspecify.annotations.Nullable;

/** Copies of the pages of any number of trees, of a bounded size. Thread-safe. */
public final class PageCache {

  private record CachedId(String birth, PageId id) {}

  private final Cache<CachedId, TreePage> pages;

  /**
   * @param bytes the bound of what all pages take, in bytes
   */
  public PageCache(long bytes) {
    this.pages =
        Caffeine.newBuilder()
            .maximumWeight(bytes)
            .<CachedId, TreePage>weigher((id, page) -> weight(page))
            .executor(Runnable::run)
            .build();
  }

  private static int weight(TreePage page) {
    if (page instanceof TreePage.Leaf leaf) {
      int bytes = 0;
      for (int i = 0; i < leaf.paths().size(); i++) {
        bytes +=
            150 + leaf.paths().get(i).encoded().length() + leaf.records().get(i).value().length;
      }
      return bytes;
    }
    return ((TreePage.Inner) page)
        .references().stream().mapToInt(child -> 120 + child.first().encoded().length()).sum();
  }

  @Nullable TreePage get(String birth, PageId id) {
    return pages.getIfPresent(new CachedId(birth, id));
  }

  void put(String birth, PageId id, TreePage page) {
    pages.put(new CachedId(birth, id), page);
  }

  /** What the pages take, in bytes. */
  public long sizeBytes() {
    pages.cleanUp();
    return pages.policy().eviction().orElseThrow().weightedSize().orElseThrow();
  }
}
