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
 * @param ended called, perhaps often, when the record has ended at this site
 */
record TermStore(SiteStore whole, Bytes record, Runnable ended) implements SiteStore {

  @Override
  public String site() {
    return whole.site();
  }

  @Override
  public CompletionStage<Optional<StoredEntry>> read(Bytes key, Deadline deadline) {
    return whole
        .read(checked(key), deadline)
        .thenApply(
            entry -> {
              if (entry.map(StoredEntry::value).filter(RegisterEnd::isEnd).isPresent()) {
                ended.run();
              }
              return entry;
            });
  }

  @Override
  public CompletionStage<Boolean> putIfAbsent(Bytes key, Bytes value, Deadline deadline) {
    return whole.putIfAbsent(checked(key), value, deadline);
  }

  @Override
  public CompletionStage<Boolean> replace(Bytes key, long version, Bytes value, Deadline deadline) {
    return whole.replace(checked(key), version, value, deadline);
  }

  @Override
  public CompletionStage<Boolean> remove(Bytes key, long version, Deadline deadline) {
    return whole.remove(checked(key), version, deadline);
  }

  @Override
  public CompletionStage<Void> put(Bytes key, Bytes value, Deadline deadline) {
    return whole.put(checked(key), value, deadline);
  }

  @Override
  public CompletionStage<Optional<Bytes>> getAndPut(Bytes key, Bytes value, Deadline deadline) {
    return whole.getAndPut(checked(key), value, deadline);
  }

  private Bytes checked(Bytes key) {
    if (!key.equals(record)) {
      throw new AssertionError("a voter set has one term record; key=" + key);
    }
    return key;
  }

  /** A scan of all keys reads the only key. */
  @Override
  public Scan scan(int batchSize) {
    return new OneKey(whole, record, new AtomicBoolean());
  }

  private record OneKey(SiteStore whole, Bytes record, AtomicBoolean ended) implements Scan {

    @Override
    public CompletionStage<List<Item>> next(Deadline deadline) {
      if (ended.get()) {
        return CompletableFuture.completedFuture(List.of());
      }
      return whole
          .read(record, deadline)
          .thenApply(
              entry -> {
                ended.set(true);
                return entry
                    .map(stored -> List.of(new Item(record, stored.value())))
                    .orElse(List.of());
              });
    }

    @Override
    public void close() {
      ended.set(true);
    }
  }
}
