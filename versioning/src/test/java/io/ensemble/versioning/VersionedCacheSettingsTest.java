package io.ensemble.versioning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.runtime.ObjectKeys;
import io.ensemble.objects.store.MemoryStore;
import io.ensemble.versioning.VersionedCacheBuilder.VersionedCacheSettings;
import io.ensemble.versioning.drive.StoredKeyKind;
import io.ensemble.versioning.order.HybridTimes;
import io.ensemble.versioning.order.Timestamps;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.infinispan.commons.util.CloseableIterator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A program opens versioned caches that it has not created. */
class VersionedCacheSettingsTest {

  private final MemoryStore store = new MemoryStore(11);
  private final AtomicObjectFactory factory = AtomicObjectFactory.on(store);

  @AfterEach
  void close() {
    factory.close();
  }

  @Test
  void theTextOfSettingsIsParsed() {
    for (IndexType index : IndexType.values()) {
      for (int bits = 0; bits < 4; bits++) {
        boolean hasShards = index == IndexType.SHARDED || index == IndexType.AUTO;
        VersionedCacheSettings settings =
            new VersionedCacheSettings(
                index, hasShards ? 77 : 1000, "hybrid-times", (bits & 1) > 0, (bits & 2) > 0);

        assertThat(VersionedCacheSettings.parse(settings.text())).isEqualTo(settings);
      }
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> VersionedCacheSettings.parse("versions of another kind"));
  }

  @Test
  void aCacheIsOpenedByItsSettings() {
    assertThat(VersionedCacheSettings.find(factory, "c")).isEmpty();
    VersionedCache.builder(factory, "c", BinaryCodec.TEXT, BinaryCodec.TEXT, new Timestamps())
        .index(IndexType.SHARDED)
        .shardSize(77)
        .ordered()
        .deltas()
        .open()
        .put("k", "v", 7L);

    VersionedCacheSettings found = VersionedCacheSettings.find(factory, "c").orElseThrow();

    assertThat(found)
        .isEqualTo(new VersionedCacheSettings(IndexType.SHARDED, 77, "timestamps", true, true));
    VersionedCache<byte[], byte[], Long> opened =
        found
            .builder(factory, "c", BinaryCodec.BYTES, BinaryCodec.BYTES, new Timestamps())
            .openIfCreated()
            .orElseThrow();
    assertThat(opened.get(new byte[] {'k'}, 7L).map(String::new)).contains("v");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                found.builder(
                    factory, "c", BinaryCodec.BYTES, BinaryCodec.BYTES, new HybridTimes()))
        .withMessageContaining("must be 'timestamps'; got 'hybrid-times'");
  }

  @Test
  void theKeysOfAStoreAreRecognized() {
    VersionedCache<String, String, Long> cache =
        VersionedCache.builder(
                factory, "c", BinaryCodec.TEXT, BinaryCodec.TEXT, new Timestamps(() -> 0))
            .shardSize(10)
            .open();
    for (int i = 0; i < 50; i++) {
      cache.add("k", "a value of some length, of which many fill a pack ".repeat(40) + i);
    }
    cache.settle("k");
    Set<StoredKeyKind> kinds = new HashSet<>();
    try (CloseableIterator<String> keys = store.keys("")) {
      keys.forEachRemaining(
          key -> {
            StoredKeyKind kind = StoredKeyKind.of(key);
            kinds.add(kind);
            if (kind == StoredKeyKind.CACHE_RECORD || kind == StoredKeyKind.HISTORY) {
              assertThat(StoredKeyKind.cacheOf(key)).contains("c");
            }
          });
    }

    assertThat(kinds)
        .contains(StoredKeyKind.CACHE_RECORD, StoredKeyKind.HISTORY, StoredKeyKind.HISTORY_PART)
        .doesNotContain(StoredKeyKind.OTHER, StoredKeyKind.OBJECT);
  }

  @ParameterizedTest
  @CsvSource({
    "part/7, OTHER",
    "part/0b6f7c1e-2f64-4f2c-9a4e-6f2f3c1d2e3f, OTHER",
    "part/0b6f7c1e-2f64-4f2c-9a4e-6f2f3c1d2e3f/x, OTHER",
    "part/0b6f7c1e-2f64-4f2c-9a4e-6f2f3c1d2e3f/12, HISTORY_PART",
    "snapshot/of-a-user, OTHER",
    "snapshot/0b6f7c1e-2f64-4f2c-9a4e-6f2f3c1d2e3f, OBJECT_PART",
    "object/versions/without-a-key, OBJECT",
    "object/o, OBJECT",
    "objects, OTHER",
  })
  void keysOfUsersAreNotTakenForParts(String key, StoredKeyKind kind) {
    assertThat(StoredKeyKind.of(key)).isEqualTo(kind);
    assertThat(StoredKeyKind.cacheOf(key)).isEqualTo(Optional.empty());
    assertThat(ObjectKeys.root("o")).isEqualTo("object/o");
  }
}
