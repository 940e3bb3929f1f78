package io.ensemble.cli.backup;

import io.ensemble.check.process.CommandException;
import io.ensemble.cli.backup.format.BackupFileReader;
import io.ensemble.cli.backup.format.BackupManifest.BackupFile;
import io.ensemble.cli.backup.format.BackupManifest.VersionedBackup;
import io.ensemble.cli.backup.format.BackupRecord;
import io.ensemble.cli.backup.format.BackupStore;
import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.store.ObjectStore;
import io.ensemble.site.Bytes;
import io.ensemble.versioning.AsyncVersionedCache;
import io.ensemble.versioning.BinaryCodec;
import io.ensemble.versioning.Retention;
import io.ensemble.versioning.Versioned;
import io.ensemble.versioning.VersionedCache;
import io.ensemble.versioning.VersionedCacheBuilder.VersionedCacheSettings;
import io.ensemble.versioning.order.VersionSpace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Adds the versions of a backup to a versioned cache, which is created with the same settings if it
 * does not exist. A version that exists with the same value is left as it is.
 */
final class VersionRestorer {

  private static final int MOST_VERSIONS = 500;
  private static final long MOST_BYTES = 2 << 20;

  private final ObjectStore store;
  private final ConflictPolicy policy;
  private final RestoreCounts counts;
  private final Runnable progress;

  VersionRestorer(
      ObjectStore store, ConflictPolicy policy, RestoreCounts counts, Runnable progress) {
    this.store = store;
    this.policy = policy;
    this.counts = counts;
    this.progress = progress;
  }

  /** Adds all versions of a cache. */
  void restore(BackupStore files, VersionedBackup backup) {
    VersionedCacheSettings settings = VersionedCacheSettings.parse(backup.settings());
    try (AtomicObjectFactory factory = AtomicObjectFactory.on(store)) {
      restore(
          factory, files, backup, settings, BackupSpaces.space(backup.name(), settings.space()));
    }
  }

  private <T> void restore(
      AtomicObjectFactory factory,
      BackupStore files,
      VersionedBackup backup,
      VersionedCacheSettings settings,
      VersionSpace<T> space) {
    try (VersionedCache<byte[], byte[], T> cache =
        settings
            .builder(factory, backup.name(), BinaryCodec.BYTES, BinaryCodec.BYTES, space)
            .retention(
                new Retention(backup.mostVersions(), backup.mostMillis(), backup.leastMillis()))
            .open()) {
      VersionWrites<T> writes = new VersionWrites<>(cache.async(), backup.name(), space);
      for (BackupFile file : backup.files()) {
        try (BackupFileReader reader = BackupFileReader.open(files, file)) {
          for (Optional<BackupRecord> next = reader.next();
              next.isPresent();
              next = reader.next()) {
            writes.add(next.get());
          }
        }
        writes.flush();
        progress.run();
      }
      writes.end();
    }
  }

  /** The versions of one key after another; those of a key follow one another. */
  private final class VersionWrites<T> {

    private final AsyncVersionedCache<byte[], byte[], T> cache;
    private final String name;
    private final VersionSpace<T> space;
    private final WriteWindow window = new WriteWindow();

    private @Nullable Bytes key;
    private List<Versioned<T, byte[]>> batch = new ArrayList<>();
    private long bytes;

    /** The former batch of the present key. */
    private CompletionStage<Void> former = CompletableFuture.completedFuture(null);

    VersionWrites(
        AsyncVersionedCache<byte[], byte[], T> cache, String name, VersionSpace<T> space) {
      this.cache = cache;
      this.name = name;
      this.space = space;
    }

    void add(BackupRecord record) {
      if (key == null || !key.equals(record.key())) {
        flush();
        key = record.key();
        former = CompletableFuture.completedFuture(null);
      } else if (batch.size() == MOST_VERSIONS || bytes > MOST_BYTES) {
        flush();
      }
      Bytes value = record.value();
      batch.add(
          new Versioned<>(
              space.read(record.version().array()),
              Optional.ofNullable(value == null ? null : value.array())));
      bytes += value == null ? 0 : value.size();
    }

    void flush() {
      Bytes present = key;
      if (present == null || batch.isEmpty()) {
        return;
      }
      List<Versioned<T, byte[]>> all = batch;
      long size = bytes;
      batch = new ArrayList<>();
      bytes = 0;
      window.awaitRoom(size);
      former = former.thenCompose(done -> addMissing(present, all));
      window.add(former, size);
    }

    void end() {
      flush();
      window.awaitAll();
    }

    /** May be repeated: versions that the former call added are found. */
    private CompletionStage<Void> addMissing(Bytes of, List<Versioned<T, byte[]>> all) {
      T first = all.get(0).version();
      T last = all.get(all.size() - 1).version();
      return cache
          .getRange(of.array(), first, last)
          .thenCompose(
              found -> {
                Map<T, Optional<byte[]>> there = new HashMap<>();
                found.forEach(one -> there.put(one.version(), one.value()));
                List<Versioned<T, byte[]>> missing = missing(of, all, there);
                return cache
                    .addAll(of.array(), missing)
                    .thenAccept(done -> counts.written.addAndGet(missing.size()));
              });
    }

    private List<Versioned<T, byte[]>> missing(
        Bytes of, List<Versioned<T, byte[]>> all, Map<T, Optional<byte[]>> there) {
      List<Versioned<T, byte[]>> missing = new ArrayList<>();
      for (Versioned<T, byte[]> one : all) {
        Optional<byte[]> present = there.get(one.version());
        if (present == null) {
          missing.add(one);
        } else if (Arrays.equals(present.orElse(null), one.value().orElse(null))) {
          counts.present.incrementAndGet();
        } else if (policy == ConflictPolicy.SKIP) {
          counts.skipped.incrementAndGet();
        } else {
          throw new CommandException(
              ("a version of the backup exists with another value, and versions are never "
                      + "replaced; versioned cache=%s key=%s version=%s; use --on-conflict skip")
                  .formatted(name, of, one.version()));
        }
      }
      return missing;
    }
  }
}
