package io.ensemble.cli.backup;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.cli.backup.format.BackupDirectory;
import io.ensemble.cli.backup.format.BackupFileWriter;
import io.ensemble.cli.backup.format.BackupManifest.BackupConsistency;
import io.ensemble.cli.backup.format.BackupManifest.VersionedBackup;
import io.ensemble.cli.backup.format.BackupStore;
import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.store.MemoryStore;
import io.ensemble.objects.store.ObjectStore;
import io.ensemble.versioning.BinaryCodec;
import io.ensemble.versioning.Versioned;
import io.ensemble.versioning.VersionedCache;
import io.ensemble.versioning.order.HybridTime;
import io.ensemble.versioning.order.HybridTimes;
import io.ensemble.versioning.order.Timestamps;
import io.ensemble.versioning.order.VersionSpace;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Versioned caches are copied and restored, from one store in memory to another. */
class VersionedCopierTest {

  private static final String NAME = "history";
  private static final int VERSIONS = 40; // More than a page.
  private static final List<String> KEYS = List.of("a", "b", "c");

  @TempDir Path root;
  private final MemoryStore source = new MemoryStore(1);
  private final MemoryStore target = new MemoryStore(2);
  private BackupStore files;

  @BeforeEach
  void open() {
    files = new BackupDirectory(root);
  }

  @AfterEach
  void close() {
    files.close();
    source.close();
    target.close();
  }

  @Test
  void aCopyHasTheVersionsUpToTheCutAndNoneAfterIt() {
    HybridTimes space = new HybridTimes();
    Map<String, List<Versioned<HybridTime, String>>> atTheCut = new TreeMap<>();
    AtomicInteger written = new AtomicInteger();
    VersionedBackup copied;
    HybridTime cut;
    try (AtomicObjectFactory factory = AtomicObjectFactory.on(source);
        VersionedCache<String, String, HybridTime> cache = cache(factory, space)) {
      fill(cache);
      copied =
          copied(
              line -> {
                // The snapshot was taken, ahead of the clock by its skew, and no key was read.
                HybridTime later = new HybridTime(System.currentTimeMillis() + 30_000, 0);
                for (String key : KEYS) {
                  cache.put(key, "after the cut", later);
                }
                cache.put("new after the cut", "value", later);
                written.incrementAndGet();
              });
      cut = space.read(HexFormat.of().parseHex(copied.cut()));
      KEYS.forEach(key -> atTheCut.put(key, cache.getRange(key, space.initial(), cut)));
    }
    assertThat(written).hasValue(1);
    assertThat(copied.consistency()).isEqualTo(BackupConsistency.CUT);
    assertThat(copied.keys()).isEqualTo(KEYS.size());
    assertThat(copied.keysAfterCut()).isZero();

    RestoreCounts counts = restored(copied);

    assertThat(counts.written).hasValue((long) KEYS.size() * VERSIONS + 1);
    try (AtomicObjectFactory factory = AtomicObjectFactory.on(target);
        VersionedCache<String, String, HybridTime> cache = cache(factory, new HybridTimes())) {
      assertThat(cache.get("new after the cut")).isNull();
      for (String key : KEYS) {
        assertThat(cache.getRange(key, space.initial(), cut)).isEqualTo(atTheCut.get(key));
        assertThat(cache.versions(key, null, null, 1_000, false))
            .as("nothing above the cut")
            .hasSameSizeAs(atTheCut.get(key));
      }
    }
    assertThat(restored(copied).written).as("of a second restore").hasValue(0);
  }

  @Test
  void versionsByTimestampsAreRestoredAsTheyWere() {
    Map<String, List<Versioned<Long, String>>> all = new TreeMap<>();
    VersionedBackup copied;
    try (AtomicObjectFactory factory = AtomicObjectFactory.on(source);
        VersionedCache<String, String, Long> cache = cache(factory, new Timestamps(() -> 0))) {
      fill(cache);
      cache.put("far", "seven", 7L);
      cache.put("far", "ahead of all clocks", Long.MAX_VALUE / 4);
      for (String key : List.of("a", "b", "c", "far")) {
        all.put(key, cache.getRange(key, 0L, Long.MAX_VALUE / 2));
      }
      copied = copied(line -> {});
      cache.put("later", "no snapshot refuses it", 8L);
    }
    assertThat(copied.consistency()).isEqualTo(BackupConsistency.EACH_KEY);
    assertThat(copied.cut()).isNull();
    assertThat(copied.versions()).isEqualTo(KEYS.size() * VERSIONS + 1 + 2);

    restored(copied);

    try (AtomicObjectFactory factory = AtomicObjectFactory.on(target);
        VersionedCache<String, String, Long> cache = cache(factory, new Timestamps(() -> 0))) {
      all.forEach(
          (key, expected) ->
              assertThat(cache.getRange(key, 0L, Long.MAX_VALUE / 2)).isEqualTo(expected));
      assertThat(cache.get("a")).as("its last version is a removal").isNull();
    }
    assertThat(restored(copied).written).as("of a second restore").hasValue(0);
  }

  private static <T> void fill(VersionedCache<String, String, T> cache) {
    for (String key : KEYS) {
      for (int n = 0; n < VERSIONS; n++) {
        cache.add(key, "value " + n);
      }
    }
    cache.remove("a");
  }

  private static <T> VersionedCache<String, String, T> cache(
      AtomicObjectFactory factory, VersionSpace<T> space) {
    return VersionedCache.builder(factory, NAME, BinaryCodec.TEXT, BinaryCodec.TEXT, space).open();
  }

  private VersionedBackup copied(Consumer<String> progress) {
    ObjectStore store = source;
    return new VersionedCopier(store, progress)
        .copy(List.of(NAME), number -> new BackupFileWriter(files, "cache-0001/versions", 1_000))
        .get(0);
  }

  private RestoreCounts restored(VersionedBackup copied) {
    RestoreCounts counts = new RestoreCounts();
    new VersionRestorer(target, ConflictPolicy.FAIL, counts, () -> {}).restore(files, copied);
    return counts;
  }
}
