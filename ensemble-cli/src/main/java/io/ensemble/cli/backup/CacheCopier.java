package io.ensemble.cli.backup;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.cache.adapter.EncodedCache;
import io.ensemble.cache.adapter.EncodedCache.EncodedEntry;
import io.ensemble.cache.adapter.EncodedCache.EncodedScan;
import io.ensemble.cli.backup.BackupPlan.PlannedCache;
import io.ensemble.cli.backup.format.BackupException;
import io.ensemble.cli.backup.format.BackupFileWriter;
import io.ensemble.cli.backup.format.BackupManifest.BackupConsistency;
import io.ensemble.cli.backup.format.BackupManifest.BackupFile;
import io.ensemble.cli.backup.format.BackupManifest.CacheBackup;
import io.ensemble.cli.backup.format.BackupManifest.VersionedBackup;
import io.ensemble.cli.backup.format.BackupRecord;
import io.ensemble.cli.backup.format.StoredBackup;
import io.ensemble.codec.Codec;
import io.ensemble.objects.machine.UnreadableException;
import io.ensemble.objects.record.ObjectRoot;
import io.ensemble.objects.record.RootCodec;
import io.ensemble.objects.store.EnsembleObjectStore;
import io.ensemble.site.Bytes;
import io.ensemble.versioning.drive.StoredKeyKind;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Copies one cache. Each key is read through the cache, so it is as recent as the mode promises.
 * What versioned caches store is left out of the entries and copied version by version. A cache
 * with other atomic objects is refused, since an object may have several entries.
 */
final class CacheCopier {

  private static final int REPORT_EVERY = 1_000;

  private final EnsembleCacheManager manager;
  private final StoredBackup backup;
  private final String directory;
  private final long fileBytes;
  private final Supplier<Instant> clock;
  private final Consumer<String> progress;

  /** The names of versioned caches: those with a record, and those of histories. */
  private final SortedSet<String> recordedCaches = new TreeSet<>();

  private final SortedSet<String> historyCaches = new TreeSet<>();
  private long entries;
  private long ofStores;

  /**
   * @param directory the beginning of the names of the files, which no other cache has
   */
  CacheCopier(
      EnsembleCacheManager manager,
      StoredBackup backup,
      String directory,
      long fileBytes,
      Supplier<Instant> clock,
      Consumer<String> progress) {
    this.manager = manager;
    this.backup = backup;
    this.directory = directory;
    this.fileBytes = fileBytes;
    this.clock = clock;
    this.progress = progress;
  }

  /**
   * Copies the cache; may be called once.
   *
   * @throws BackupException if the cache holds atomic objects, or the files cannot be written
   */
  CacheBackup copy(PlannedCache planned) {
    String begun = clock.get().toString();
    List<BackupFile> files = new ArrayList<>();
    List<VersionedBackup> versioned = List.of();
    // Whether these entries are those of versioned caches shows at the end of the iteration.
    try (BackupFileWriter main = writer("entries");
        BackupFileWriter stores = writer("others")) {
      copyEntries(planned, main, stores);
      files.addAll(main.finish());
      List<BackupFile> ofObjects = stores.finish();
      if (recordedCaches.isEmpty()) {
        entries += ofStores;
        files.addAll(ofObjects);
      } else {
        backup.remove(ofObjects);
      }
      historyCaches.removeAll(recordedCaches);
      if (!historyCaches.isEmpty()) {
        throw objects(planned.name(), "versions/" + historyCaches.first());
      }
      if (!recordedCaches.isEmpty()) {
        versioned =
            new VersionedCopier(new EnsembleObjectStore(opened(planned.name())), progress)
                .copy(recordedCaches, number -> writer("versions-" + number));
      }
    }
    return new CacheBackup(
        planned.name(),
        planned.creation(),
        BackupDefinitions.of(planned.definition(), planned.shards()),
        begun,
        clock.get().toString(),
        BackupConsistency.EACH_KEY,
        entries,
        files,
        versioned);
  }

  private EnsembleCache<String, byte[]> opened(String name) {
    EnsembleCache<String, byte[]> cache = manager.getCache(name);
    if (cache == null) {
      throw new BackupException("the cache was deleted during the backup: " + name);
    }
    return cache;
  }

  private BackupFileWriter writer(String prefix) {
    return new BackupFileWriter(backup.store(), directory + "/" + prefix, fileBytes);
  }

  private void copyEntries(PlannedCache planned, BackupFileWriter main, BackupFileWriter stores) {
    EncodedCache cache = manager.encoded(planned.name());
    boolean mayHaveObjects = planned.definition().mode() == Mode.MWMR;
    try (EncodedScan scan = cache.scan()) {
      List<EncodedEntry> batch = RepeatedCall.await(RepeatedCall.of(scan::next));
      while (!batch.isEmpty()) {
        for (EncodedEntry entry : batch) {
          BackupRecord record =
              BackupRecord.entry(entry.key(), entry.value(), entry.expiryMicros());
          if (mayHaveObjects && isOfStore(planned.name(), entry)) {
            stores.write(record);
            ofStores++;
          } else {
            main.write(record);
            entries++;
          }
          if ((entries + ofStores) % REPORT_EVERY == 0) {
            progress.accept("%s, %,d entries".formatted(planned.name(), entries));
          }
        }
        batch = RepeatedCall.await(RepeatedCall.of(scan::next));
      }
    }
  }

  /** Whether a versioned cache may have written the entry. */
  private boolean isOfStore(String cache, EncodedEntry entry) {
    if (!Codec.isUtf8(entry.key())) {
      return false;
    }
    String key = new String(entry.key().array(), 1, entry.key().size() - 1, UTF_8);
    StoredKeyKind kind = StoredKeyKind.of(key);
    switch (kind) {
      case OTHER:
        return false;
      case HISTORY_PART, OBJECT_PART:
        return true;
      default:
        Optional<ObjectRoot> root = root(entry.value());
        if (root.isEmpty() || root.get().isDisposed()) {
          return false;
        }
        if (kind == StoredKeyKind.OBJECT) {
          throw objects(cache, key.substring(key.indexOf('/') + 1));
        }
        SortedSet<String> names = kind == StoredKeyKind.HISTORY ? historyCaches : recordedCaches;
        names.add(StoredKeyKind.cacheOf(key).orElseThrow());
        return true;
    }
  }

  private static Optional<ObjectRoot> root(Bytes value) {
    byte[] array = value.array();
    if (array.length == 0 || !Codec.isByteArray(value)) {
      return Optional.empty();
    }
    try {
      return Optional.of(RootCodec.root(Arrays.copyOfRange(array, 1, array.length)));
    } catch (UnreadableException e) {
      return Optional.empty();
    }
  }

  private static BackupException objects(String cache, String object) {
    return new BackupException(
        ("atomic objects are not copied, and the cache holds one; cache=%s object=%s; leave the "
                + "cache out with --exclude %s")
            .formatted(cache, object, cache));
  }
}
