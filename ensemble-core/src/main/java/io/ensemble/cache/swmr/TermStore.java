package io.ensemble.cache.swmr;

import io.ensemble.cache.mwmr.RegisterEnd;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoredEntry;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The record of terms in a store, without the copies: a store with one key.
 *
 * @param record the key
 * @param endListener called, perhaps often, when the record has ended at this site
 */
record TermStore(SiteStore store, Bytes record, Runnable endListener) implements SiteStore {

  @Override
  public String site() {
    return store.site();
  }

  @Override
  public CompletionStage<Optional<StoredEntry>> read(Bytes key, Deadline deadline) {
    return store
        .read(requireRecord(key), deadline)
        .thenApply(
            entry -> {
              if (entry.map(StoredEntry::value).filter(RegisterEnd::isEnd).isPresent()) {
                endListener.run();
              }
              return entry;
            });
  }

  @Override
  public CompletionStage<Boolean> putIfAbsent(Bytes key, Bytes value, Deadline deadline) {
    return store.putIfAbsent(requireRecord(key), value, deadline);
  }

  @Override
  public CompletionStage<Boolean> replace(Bytes key, long version, Bytes value, Deadline deadline) {
    return store.replace(requireRecord(key), version, value, deadline);
  }

  @Override
  public CompletionStage<Boolean> remove(Bytes key, long version, Deadline deadline) {
    return store.remove(requireRecord(key), version, deadline);
  }

  @Override
  public CompletionStage<Void> put(Bytes key, Bytes value, Deadline deadline) {
    return store.put(requireRecord(key), value, deadline);
  }

  @Override
  public CompletionStage<Optional<Bytes>> getAndPut(Bytes key, Bytes value, Deadline deadline) {
    return store.getAndPut(requireRecord(key), value, deadline);
  }

  private Bytes requireRecord(Bytes key) {
    if (!key.equals(record)) {
      throw new AssertionError("a voter set has one term record; key=" + key);
    }
    return key;
  }

  /** A scan of all keys reads the only key. */
  @Override
  public Scan scan(int batchSize) {
    return new SingleKeyScan(store, record, new AtomicBoolean());
  }

  private record SingleKeyScan(SiteStore store, Bytes record, AtomicBoolean isFinished)
      implements Scan {

    @Override
    public CompletionStage<List<Item>> next(Deadline deadline) {
      if (isFinished.get()) {
        return CompletableFuture.completedFuture(List.of());
      }
      return store
          .read(record, deadline)
          .thenApply(
              entry -> {
                isFinished.set(true);
                return entry
                    .map(stored -> List.of(new Item(record, stored.value())))
                    .orElse(List.of());
              });
    }

    @Override
    public void close() {
      isFinished.set(true);
    }
  }
}
