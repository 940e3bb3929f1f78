package io.ensemble.cache.swmr.copy;

import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreObserver;
import io.ensemble.site.StoredEntry;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The copies in a store, without the record of terms. */
public record CopyStore(SiteStore store) implements SiteStore {

  @Override
  public String site() {
    return store.site();
  }

  @Override
  public CompletionStage<Optional<StoredEntry>> read(Bytes key, Deadline deadline) {
    return store.read(SwmrKeyLayout.toCopyKey(key), deadline);
  }

  @Override
  public CompletionStage<Boolean> putIfAbsent(Bytes key, Bytes value, Deadline deadline) {
    return store.putIfAbsent(SwmrKeyLayout.toCopyKey(key), value, deadline);
  }

  @Override
  public CompletionStage<Boolean> replace(Bytes key, long version, Bytes value, Deadline deadline) {
    return store.replace(SwmrKeyLayout.toCopyKey(key), version, value, deadline);
  }

  @Override
  public CompletionStage<Boolean> remove(Bytes key, long version, Deadline deadline) {
    return store.remove(SwmrKeyLayout.toCopyKey(key), version, deadline);
  }

  @Override
  public CompletionStage<Void> put(Bytes key, Bytes value, Deadline deadline) {
    return store.put(SwmrKeyLayout.toCopyKey(key), value, deadline);
  }

  @Override
  public CompletionStage<Optional<Bytes>> getAndPut(Bytes key, Bytes value, Deadline deadline) {
    return store.getAndPut(SwmrKeyLayout.toCopyKey(key), value, deadline);
  }

  @Override
  public CompletionStage<Runnable> observe(StoreObserver observer, Deadline deadline) {
    return store.observe(
        new StoreObserver() {
          @Override
          public void stored(Bytes key, Bytes value) {
            if (SwmrKeyLayout.isCopyKey(key)) {
              observer.stored(SwmrKeyLayout.toUserKey(key), value);
            }
          }

          @Override
          public void interrupted() {
            observer.interrupted();
          }
        },
        deadline);
  }

  @Override
  public Scan scan(int batchSize) {
    return new CopyScan(store.scan(batchSize));
  }

  private record CopyScan(Scan scan) implements Scan {

    @Override
    public CompletionStage<List<Item>> next(Deadline deadline) {
      return scan.next(deadline)
          .thenCompose(
              items -> {
                List<Item> copies =
                    items.stream()
                        .filter(item -> SwmrKeyLayout.isCopyKey(item.key()))
                        .map(item -> new Item(SwmrKeyLayout.toUserKey(item.key()), item.value()))
                        .toList();
                // Voter sets are few: not many batches in a row are without copies.
                return copies.isEmpty() && !items.isEmpty()
                    ? next(deadline)
                    : CompletableFuture.completedFuture(copies);
              });
    }

    @Override
    public void close() {
      scan.close();
    }
  }
}
