package io.ensemble.cache.swmr.copy;

import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoredEntry;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The copies in a store, without the record of terms. */
public record CopyStore(SiteStore whole) implements SiteStore {

  @Override
  public String site() {
    return whole.site();
  }

  @Override
  public CompletionStage<Optional<StoredEntry>> read(Bytes key, Deadline deadline) {
    return whole.read(SwmrKeyLayout.ofCopy(key), deadline);
  }

  @Override
  public CompletionStage<Boolean> putIfAbsent(Bytes key, Bytes value, Deadline deadline) {
    return whole.putIfAbsent(SwmrKeyLayout.ofCopy(key), value, deadline);
  }

  @Override
  public CompletionStage<Boolean> replace(Bytes key, long version, Bytes value, Deadline deadline) {
    return whole.replace(SwmrKeyLayout.ofCopy(key), version, value, deadline);
  }

  @Override
  public CompletionStage<Boolean> remove(Bytes key, long version, Deadline deadline) {
    return whole.remove(SwmrKeyLayout.ofCopy(key), version, deadline);
  }

  @Override
  public CompletionStage<Void> put(Bytes key, Bytes value, Deadline deadline) {
    return whole.put(SwmrKeyLayout.ofCopy(key), value, deadline);
  }

  @Override
  public CompletionStage<Optional<Bytes>> getAndPut(Bytes key, Bytes value, Deadline deadline) {
    return whole.getAndPut(SwmrKeyLayout.ofCopy(key), value, deadline);
  }

  @Override
  public Scan scan(int batchSize) {
    return new CopyScan(whole.scan(batchSize));
  }

  private record CopyScan(Scan all) implements Scan {

    @Override
    public CompletionStage<List<Item>> next(Deadline deadline) {
      return all.next(deadline)
          .thenCompose(
              items -> {
                List<Item> copies =
                    items.stream()
                        .filter(item -> SwmrKeyLayout.isCopys(item.key()))
                        .map(item -> new Item(SwmrKeyLayout.ofUser(item.key()), item.value()))
                        .toList();
                // Voter sets are few: not many batches in a row are without copies.
                return copies.isEmpty() && !items.isEmpty()
                    ? next(deadline)
                    : CompletableFuture.completedFuture(copies);
              });
    }

    @Override
    public void close() {
      all.close();
    }
  }
}
