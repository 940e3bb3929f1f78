package io.ensemble.collection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.store.MemoryStore;
import io.ensemble.versioning.BinaryCodec;
import io.ensemble.versioning.Versioned;
import io.ensemble.versioning.VersionedCache;
import io.ensemble.versioning.order.Timestamps;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A collection of a snapshot is a consistent cut, whatever is written meanwhile. */
@Timeout(120)
class SnapshotCollectionTest {

  private static final int KEYS = 50;

  @Test
  void aPositionOfACacheThatWasCreatedAgainIsRefused() {
    String position;
    try (MemoryStore store = new MemoryStore(3);
        AtomicObjectFactory factory = AtomicObjectFactory.builder(store).build()) {
      position = position(factory, null);
      assertThat(position(factory, position)).as("the same cache").isNotEqualTo(position);
    }
    try (MemoryStore store = new MemoryStore(3);
        AtomicObjectFactory factory = AtomicObjectFactory.builder(store).build()) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> position(factory, position))
          .withMessageContaining("of the same cache");
    }
  }

  /** The position after one more entry of a snapshot of ten. */
  private static String position(AtomicObjectFactory factory, @Nullable String from) {
    try (VersionedCache<String, String, Long> cache =
        VersionedCache.builder(
                factory, "pages", BinaryCodec.TEXT, BinaryCodec.TEXT, new Timestamps(() -> 0))
            .open()) {
      for (int i = 0; i < 10; i++) {
        if (cache.get("k" + i) == null) {
          cache.put("k" + i, "value", 1L);
        }
      }
      EntryCollection<String, Versioned<Long, String>> cut =
          SnapshotCollection.of(cache.at(5L), BinaryCodec.TEXT);
      try (CollectionCursor<Map.Entry<String, Versioned<Long, String>>> cursor =
          (from == null ? cut : cut.from(from)).open()) {
        assertThat(cursor.next()).isPresent();
        return cursor.position();
      }
    }
  }

  @Test
  void anIterationReturnsTheEntriesOfTheCutWhileOthersWrite() {
    try (MemoryStore store = new MemoryStore(3);
        AtomicObjectFactory factory = AtomicObjectFactory.builder(store).build();
        VersionedCache<String, String, Long> cache =
            VersionedCache.builder(
                    factory, "pages", BinaryCodec.TEXT, BinaryCodec.TEXT, new Timestamps(() -> 0))
                .open()) {
      Map<String, String> expected = new TreeMap<>();
      for (int i = 0; i < KEYS; i++) {
        cache.put("k" + i, "old" + i, 1L);
        expected.put("k" + i, "old" + i);
      }
      EntryCollection<String, Versioned<Long, String>> cut =
          SnapshotCollection.of(cache.at(5L), BinaryCodec.TEXT).withMemory(8, 20, 1 << 20);
      Map<String, String> found = new TreeMap<>();
      String position = null;
      for (int taken = 0; taken < KEYS; taken += 7) {
        // Each time another process, which continues where the former one has ended.
        try (CollectionCursor<Map.Entry<String, Versioned<Long, String>>> cursor =
            (position == null ? cut : cut.from(position)).open()) {
          for (int i = 0; i < 7; i++) {
            Optional<Map.Entry<String, Versioned<Long, String>>> next = cursor.next();
            next.ifPresent(
                entry ->
                    assertThat(found.put(entry.getKey(), entry.getValue().value().orElseThrow()))
                        .isNull());
            cache.put("k" + (taken + i) % KEYS, "new", 10L + taken + i);
            cache.put("new" + taken + "-" + i, "new", 10L);
          }
          position = cursor.position();
        }
      }

      assertThat(found).isEqualTo(expected);
      String saved = position;
      assertThatIllegalArgumentException()
          .isThrownBy(
              () -> SnapshotCollection.of(cache.at(6L), BinaryCodec.TEXT).from(saved).open());
    }
  }
}
