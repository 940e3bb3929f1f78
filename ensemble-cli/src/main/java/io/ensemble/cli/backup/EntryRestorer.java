package io.ensemble.cli.backup;

import io.ensemble.cache.adapter.EncodedCache;
import io.ensemble.cache.adapter.EncodedCache.EncodedEntry;
import io.ensemble.check.process.CommandException;
import io.ensemble.cli.backup.format.BackupFileReader;
import io.ensemble.cli.backup.format.BackupManifest.BackupFile;
import io.ensemble.cli.backup.format.BackupRecord;
import io.ensemble.cli.backup.format.BackupStore;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

/** Writes the entries of a backup to a cache. A repeated restore finds what the first one wrote. */
final class EntryRestorer {

  private static final int REPORT_EVERY = 1_000;

  private final EncodedCache cache;
  private final ConflictPolicy policy;
  private final LongSupplier epochMicros;
  private final RestoreCounts counts;
  private final Runnable progress;
  private final WriteWindow window = new WriteWindow();
  private long records;

  /**
   * @param epochMicros the clock by which entries expire
   * @param progress runs after every few records
   */
  EntryRestorer(
      EncodedCache cache,
      ConflictPolicy policy,
      LongSupplier epochMicros,
      RestoreCounts counts,
      Runnable progress) {
    this.cache = cache;
    this.policy = policy;
    this.epochMicros = epochMicros;
    this.counts = counts;
    this.progress = progress;
  }

  /** Writes the records of a file. */
  void restore(BackupStore files, BackupFile file) {
    try (BackupFileReader reader = BackupFileReader.open(files, file)) {
      for (Optional<BackupRecord> next = reader.next(); next.isPresent(); next = reader.next()) {
        restore(next.get());
        if (++records % REPORT_EVERY == 0) {
          progress.run();
        }
      }
    }
    window.awaitAll();
  }

  private void restore(BackupRecord record) {
    EncodedEntry entry =
        new EncodedEntry(
            record.key(), Objects.requireNonNull(record.value()), record.expiryMicros());
    if (entry.expiryMicros() != 0 && entry.expiryMicros() <= epochMicros.getAsLong()) {
      counts.expired.incrementAndGet();
      return;
    }
    long size = (long) entry.key().size() + entry.value().size();
    window.awaitRoom(size);
    window.add(policy == ConflictPolicy.OVERWRITE ? overwrite(entry) : add(entry), size);
  }

  private CompletionStage<?> overwrite(EncodedEntry entry) {
    return RepeatedCall.of(() -> cache.put(entry))
        .thenAccept(done -> counts.written.incrementAndGet());
  }

  private CompletionStage<?> add(EncodedEntry entry) {
    return RepeatedCall.of(() -> cache.putIfAbsent(entry))
        .thenAccept(
            found -> {
              if (found.isEmpty()) {
                counts.written.incrementAndGet();
              } else if (found.get().equals(entry)) {
                counts.present.incrementAndGet();
              } else if (policy == ConflictPolicy.SKIP) {
                counts.skipped.incrementAndGet();
              } else {
                throw new CommandException(
                    ("the cache has another value or lifespan for a key of the backup; cache=%s "
                            + "key=%s; use --on-conflict skip or overwrite")
                        .formatted(cache.definition().name(), entry.key()));
              }
            });
  }
}
