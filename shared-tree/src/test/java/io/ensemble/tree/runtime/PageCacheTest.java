package io.ensemble.tree.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.tree.NodeAccess;
import io.ensemble.tree.NodePermissions;
import io.ensemble.tree.TreePath;
import io.ensemble.tree.TreeSettings;
import io.ensemble.tree.state.NodeRecord;
import io.ensemble.tree.state.PageId;
import io.ensemble.tree.state.TreePage;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PageCacheTest {

  private static final int RECORDS = 10;

  private static PageId id(int index) {
    return new PageId(1, index, 0);
  }

  private static TreePage page(String prefix, int valueBytes, NodePermissions permissions) {
    List<TreePath> paths = new ArrayList<>();
    List<NodeRecord> records = new ArrayList<>();
    for (int i = 0; i < RECORDS; i++) {
      paths.add(TreePath.of(prefix + i));
      records.add(new NodeRecord(new byte[valueBytes], permissions, 1, 1, 1, 1));
    }
    return new TreePage.Leaf(paths, records);
  }

  private static NodePermissions listing(int users) {
    NodePermissions permissions = NodePermissions.of("admin", NodeAccess.NONE);
    for (int i = 0; i < users; i++) {
      permissions = permissions.with("%0100d".formatted(i), NodeAccess.READ);
    }
    return permissions;
  }

  private static long sizeOf(TreePage page) {
    PageCache cache = new PageCache(TreeSettings.DEFAULT.maxBytes());
    cache.put("birth", id(0), page);
    return cache.sizeBytes();
  }

  @Test
  void valuesPathsAndListedUsersCount() {
    long plain = sizeOf(page("/", 0, listing(0)));

    assertThat(plain).isGreaterThan(RECORDS * 300);
    assertThat(sizeOf(page("/", 70, listing(0)))).isEqualTo(plain + RECORDS * 70);
    assertThat(sizeOf(page("/" + "x".repeat(50), 0, listing(0))))
        .isEqualTo(plain + RECORDS * 2 * 50);
    assertThat(sizeOf(page("/", 0, listing(32)))).isEqualTo(plain + RECORDS * 32 * (80 + 100 + 1));
  }

  @Test
  void pagesWithLongListsAreBoundedTogether() {
    PageCache cache = new PageCache(200_000);
    for (int i = 0; i < 20; i++) {
      cache.put("birth", id(i), page("/", 0, listing(32)));
      cache.put("another birth", id(i), page("/", 0, listing(32)));
    }

    assertThat(cache.sizeBytes()).isBetween(100_000L, 200_000L);
  }
}
