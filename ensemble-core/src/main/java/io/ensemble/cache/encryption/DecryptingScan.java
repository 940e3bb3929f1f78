package io.ensemble.cache.encryption;

import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.CacheEngine.EntryScan;
import io.ensemble.cache.Payload;
import io.ensemble.schedule.Deadline;
import io.ensemble.sibling.Siblings;
import io.ensemble.site.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A scan of encrypted entries. The scan ends for ever with the first entry that cannot be
 * decrypted: its user would not notice an omission.
 */
final class DecryptingScan implements EntryScan {

  private final CacheCipher cacheCipher;
  private final EntryScan inner;
  private @Nullable RuntimeException failed;

  DecryptingScan(CacheCipher cacheCipher, EntryScan inner) {
    this.cacheCipher = cacheCipher;
    this.inner = inner;
  }

  @Override
  public CompletionStage<List<Entry>> next(Deadline deadline) {
    RuntimeException before = failed;
    if (before != null) {
      return CompletableFuture.failedFuture(before);
    }
    return inner.next(deadline).thenApply(this::opened);
  }

  private List<Entry> opened(List<Entry> found) {
    try {
      return found.stream().map(this::opened).toList();
    } catch (RuntimeException strange) {
      failed = strange;
      throw strange;
    }
  }

  private Entry opened(Entry stored) {
    Bytes key = cacheCipher.key(stored.key());
    return new Entry(key, cacheCipher.open(key, stored.value()));
  }

  @Override
  public void close() {
    inner.close();
  }

  /** The same scan; {@code shown} computes the value from all siblings of a key. */
  EntryScan shownBy(CacheEngine engine, Function<Siblings<Payload>, @Nullable Payload> shown) {
    DecryptingScan keys = this;
    return new EntryScan() {
      @Override
      public CompletionStage<List<Entry>> next(Deadline deadline) {
        return keys.next(deadline).thenCompose(found -> read(found, deadline));
      }

      /**
       * Reads the next batch when all entries of a batch were left out: an empty batch would mean
       * the end.
       */
      private CompletionStage<List<Entry>> read(List<Entry> found, Deadline deadline) {
        CompletionStage<List<Entry>> all = CompletableFuture.completedFuture(new ArrayList<>());
        for (Entry entry : found) {
          CompletionStage<Optional<Payload>> value =
              engine
                  .siblings(entry.key(), deadline)
                  .thenApply(siblings -> Optional.ofNullable(shown.apply(siblings)));
          all =
              all.thenCombine(
                  value,
                  (list, one) -> {
                    one.ifPresent(payload -> list.add(new Entry(entry.key(), payload)));
                    return list;
                  });
        }
        return all.thenCompose(
            list ->
                list.isEmpty() && !found.isEmpty()
                    ? next(deadline)
                    : CompletableFuture.completedFuture(List.copyOf(list)));
      }

      @Override
      public void close() {
        keys.close();
      }
    };
  }
}
