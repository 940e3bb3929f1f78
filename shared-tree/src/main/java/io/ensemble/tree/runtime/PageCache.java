package io.ensemble.tree.runtime;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.ensemble.tree.state.NodeRecord;
import io.ensemble.tree.state.PageId;
import io.ensemble.tree.state.TreePage;
import org.jspecify.annotations.Nullable;

/** Copies of the pages of any number of trees, of a bounded size. Thread-safe. */
public final class PageCache {

  /** As measured on a 64-bit JVM: a path with its sort key takes its length twice. */
  private static final int PAGE_BYTES = 200;

  private static final int RECORD_BYTES = 350;
  private static final int LISTED_USER_BYTES = 80;
  private static final int REFERENCE_BYTES = 190;

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
    int bytes = PAGE_BYTES;
    if (page instanceof TreePage.Leaf leaf) {
      for (int i = 0; i < leaf.paths().size(); i++) {
        NodeRecord record = leaf.records().get(i);
        bytes +=
            RECORD_BYTES
                + 2 * leaf.paths().get(i).encoded().length()
                + (int) record.ownedBytes()
                + LISTED_USER_BYTES * record.permissions().listed().size();
      }
    } else if (page instanceof TreePage.Inner inner) {
      for (TreePage.PageReference child : inner.references()) {
        bytes += REFERENCE_BYTES + 2 * child.first().encoded().length();
      }
      for (int i = 0; i < inner.buffer().paths().size(); i++) {
        bytes +=
            RECORD_BYTES
                + 2 * inner.buffer().paths().get(i).encoded().length()
                + inner.buffer().patches().get(i).contentBytes()
                + LISTED_USER_BYTES * inner.buffer().patches().get(i).listedUsers();
      }
    }
    return bytes;
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
