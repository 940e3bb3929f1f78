package io.ensemble.tree.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.store.MemoryStore;
import io.ensemble.tree.TreeException;
import io.ensemble.tree.state.PageId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Long lists of replaced pages. */
class PageStoreTest {

  private final MemoryStore store = new MemoryStore(1);
  private final AtomicObjectFactory factory =
      AtomicObjectFactory.builder(store).timeout(Duration.ofSeconds(20)).build();
  private final PageStore pages =
      new PageStore(
          factory.store(),
          factory.clockwork(),
          "birth",
          new PageCache(1 << 20),
          Duration.ofSeconds(2));

  @AfterEach
  void close() {
    factory.close();
    store.close();
  }

  /** The longest names there are. */
  private static List<PageId> names(int count) {
    List<PageId> names = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      names.add(new PageId(Long.MAX_VALUE - 1, Integer.MAX_VALUE - i, -1L - i));
    }
    return names;
  }

  private int largestEntry() {
    return store.entries().values().stream()
        .mapToInt(entry -> entry.value().length)
        .max()
        .orElse(0);
  }

  @Test
  void aListThatDoesNotFitIntoAnEntryIsStoredInParts() {
    pages.write(7, Map.of(), names(2 * PageStore.NAMES_PER_ENTRY + 1));

    assertThat(store.entries()).hasSize(3);
    assertThat(largestEntry()).isBetween(256 << 10, 512 << 10);
    pages.removeReplaced(7);
    assertThat(store.entries()).isEmpty();
  }

  @Test
  void aListThatJustFillsItsPartsIsRemovedAsAWhole() {
    pages.write(7, Map.of(), names(PageStore.NAMES_PER_ENTRY));
    assertThat(store.entries()).hasSize(1);

    pages.removeReplaced(7);

    assertThat(store.entries()).isEmpty();
  }

  @Test
  void allPagesOfTheListAreRemoved() {
    int count = PageStore.NAMES_PER_ENTRY + 10;
    pages.write(7, Map.of(), names(count));
    Set<String> removed = ConcurrentHashMap.newKeySet();
    store.keep(
        key -> {
          removed.add(key);
          return false;
        });

    pages.removeReplaced(7);

    assertThat(removed).hasSize(count + 2).contains("tree/birth/7/replaced");
  }

  @Test
  void aRemovalThatStopsHalfwayIsDoneAgain() {
    pages.write(7, Map.of(), names(2 * PageStore.NAMES_PER_ENTRY + 1));
    store.keep(key -> key.endsWith("/replaced"));
    assertThatThrownBy(() -> pages.removeReplaced(7)).isInstanceOf(TreeException.class);
    assertThat(store.entries()).as("the first part").hasSize(1);
    store.keep(key -> false);

    pages.removeReplaced(7);

    assertThat(store.entries()).isEmpty();
  }

  @Test
  void aDiscardedCheckpointLeavesNoPartOfItsList() {
    pages.write(7, Map.of(), names(PageStore.NAMES_PER_ENTRY + 1));

    pages.discard(List.of(), 7);

    assertThat(store.entries()).isEmpty();
  }
}
