package io.ensemble.cli.backup;

import io.ensemble.cli.backup.format.BackupException;
import io.ensemble.cli.backup.format.BackupFileWriter;
import io.ensemble.cli.backup.format.BackupManifest.BackupConsistency;
import io.ensemble.cli.backup.format.BackupManifest.VersionedBackup;
import io.ensemble.cli.backup.format.BackupRecord;
import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.runtime.UnwrappedCause;
import io.ensemble.objects.store.ObjectStore;
import io.ensemble.site.Bytes;
import io.ensemble.versioning.AsyncVersionedCache;
import io.ensemble.versioning.BinaryCodec;
import io.ensemble.versioning.CacheSnapshot;
import io.ensemble.versioning.Retention;
import io.ensemble.versioning.VersionPage;
import io.ensemble.versioning.Versioned;
import io.ensemble.versioning.VersionedCache;
import io.ensemble.versioning.VersionedCacheBuilder.VersionedCacheSettings;
import io.ensemble.versioning.VersioningException.VersionCompacted;
import io.ensemble.versioning.order.VersionSpace;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.infinispan.commons.util.CloseableIterator;
import org.jspecify.annotations.Nullable;

/**
 * Copies the versioned caches on one cache. With hybrid times all keys are copied as of one
 * snapshot, so no version at or below it can be added to them later. Other versions need not follow
 * clocks, and a snapshot could block their writers: each of these keys is copied at a moment of its
 * own.
 */
final class VersionedCopier {

  private static final int PAGE = 32;
  private static final int KEYS_AHEAD = 8;
  private static final int REPORT_EVERY = 1_000;

  private final ObjectStore store;
  private final Consumer<String> progress;

  VersionedCopier(ObjectStore store, Consumer<String> progress) {
    this.store = store;
    this.progress = progress;
  }

  /**
   * Copies the caches of these names.
   *
   * @param writers makes the writer of the cache of that number
   */
  List<VersionedBackup> copy(Collection<String> names, IntFunction<BackupFileWriter> writers) {
    List<VersionedBackup> copied = new ArrayList<>();
    try (AtomicObjectFactory factory = AtomicObjectFactory.on(store)) {
      int number = 0;
      for (String name : names) {
        VersionedCacheSettings settings =
            VersionedCacheSettings.find(factory, name).orElseThrow(() -> missing(name));
        try (BackupFileWriter writer = writers.apply(++number)) {
          copied.add(
              copied(factory, name, settings, BackupSpaces.space(name, settings.space()), writer));
        }
      }
    }
    return copied;
  }

  private <T> VersionedBackup copied(
      AtomicObjectFactory factory,
      String name,
      VersionedCacheSettings settings,
      VersionSpace<T> space,
      BackupFileWriter writer) {
    return new VersionedCopy<>(factory, name, settings, space).to(writer);
  }

  /** The copy of one cache. */
  private final class VersionedCopy<T> {

    private final AtomicObjectFactory factory;
    private final String name;
    private final VersionedCacheSettings settings;
    private final VersionSpace<T> space;

    private long keys;
    private long versions;
    private long keysAfterCut;

    VersionedCopy(
        AtomicObjectFactory factory,
        String name,
        VersionedCacheSettings settings,
        VersionSpace<T> space) {
      this.factory = factory;
      this.name = name;
      this.settings = settings;
      this.space = space;
    }

    VersionedBackup to(BackupFileWriter writer) {
      try (VersionedCache<byte[], byte[], T> cache =
          settings
              .builder(factory, name, BinaryCodec.BYTES, BinaryCodec.BYTES, space)
              .openIfCreated()
              .orElseThrow(() -> missing(name))) {
        Retention retention = cache.retention();
        @Nullable CacheSnapshot<byte[], byte[], T> cut =
            BackupSpaces.followsClocks(settings.space()) ? cache.snapshot() : null;
        progress.accept(cut == null ? name : "%s, as of %s".formatted(name, cut.version()));
        copyKeys(cache, cut, writer);
        return new VersionedBackup(
            name,
            settings.text(),
            retention.mostVersions(),
            retention.mostMillis(),
            retention.leastMillis(),
            cut == null ? BackupConsistency.EACH_KEY : BackupConsistency.CUT,
            cut == null ? null : HexFormat.of().formatHex(space.write(cut.version())),
            keysAfterCut,
            keys,
            versions,
            writer.finish());
      }
    }

    private void copyKeys(
        VersionedCache<byte[], byte[], T> cache,
        @Nullable CacheSnapshot<byte[], byte[], T> cut,
        BackupFileWriter writer) {
      Deque<KeyRead<T>> ahead = new ArrayDeque<>();
      try (CloseableIterator<byte[]> all = cache.keys()) {
        while (true) {
          while (ahead.size() < KEYS_AHEAD && all.hasNext()) {
            ahead.add(read(cache.async(), cut, all.next()));
          }
          if (ahead.isEmpty()) {
            return;
          }
          KeyRead<T> next = ahead.remove();
          copyKey(cache, next.key(), RepeatedCall.await(next.first()), writer);
        }
      }
    }

    /** Begins to read a key up to its last version that is copied. */
    private KeyRead<T> read(
        AsyncVersionedCache<byte[], byte[], T> cache,
        @Nullable CacheSnapshot<byte[], byte[], T> cut,
        byte[] key) {
      CompletionStage<Optional<T>> last =
          cut == null ? latest(cache, key) : lastOfCut(cache, cut, key);
      return new KeyRead<>(
          key,
          last.thenCompose(
              found ->
                  found.isEmpty()
                      ? CompletableFuture.completedFuture(Optional.<FirstPage<T>>empty())
                      : cache
                          .getRangePage(key, space.initial(), found.get(), PAGE, null)
                          .thenApply(page -> Optional.of(new FirstPage<>(found.get(), page)))));
    }

    private CompletionStage<Optional<T>> latest(
        AsyncVersionedCache<byte[], byte[], T> cache, byte[] key) {
      return cache.latest(key).thenApply(found -> found.map(Versioned::version));
    }

    /** Of a key whose versions up to the cut were removed, the versions after it are copied. */
    private CompletionStage<Optional<T>> lastOfCut(
        AsyncVersionedCache<byte[], byte[], T> cache,
        CacheSnapshot<byte[], byte[], T> cut,
        byte[] key) {
      return cut.getAsync(key)
          .thenApply(found -> found.map(one -> cut.version()))
          .exceptionallyCompose(
              failure -> {
                if (!(UnwrappedCause.of(failure) instanceof VersionCompacted)) {
                  return CompletableFuture.failedFuture(failure);
                }
                return latest(cache, key)
                    .thenApply(
                        found -> {
                          synchronized (this) {
                            keysAfterCut++;
                          }
                          return found;
                        });
              });
    }

    private void copyKey(
        VersionedCache<byte[], byte[], T> cache,
        byte[] key,
        Optional<FirstPage<T>> first,
        BackupFileWriter writer) {
      if (first.isEmpty()) {
        return; // Without a version up to the cut, it is no key of the copy.
      }
      if (++keys % REPORT_EVERY == 0) {
        progress.accept("%s, %,d keys".formatted(name, keys));
      }
      T last = first.get().last();
      VersionPage<T, byte[]> page = first.get().page();
      while (true) {
        for (Versioned<T, byte[]> one : page.versions()) {
          writer.write(
              BackupRecord.version(
                  Bytes.of(key),
                  Bytes.of(space.write(one.version())),
                  one.value().map(Bytes::of).orElse(null)));
          versions++;
        }
        if (page.cursor().isEmpty()) {
          return;
        }
        page = cache.getRangePage(key, space.initial(), last, PAGE, page.cursor().get());
      }
    }
  }

  /** The first versions of a key, and the last one to copy. */
  private record FirstPage<T>(T last, VersionPage<T, byte[]> page) {}

  /** A key that is being read; without a page if it has no version to copy. */
  private record KeyRead<T>(byte[] key, CompletionStage<Optional<FirstPage<T>>> first) {}

  private static BackupException missing(String name) {
    return new BackupException("the versioned cache no longer exists: " + name);
  }
}
