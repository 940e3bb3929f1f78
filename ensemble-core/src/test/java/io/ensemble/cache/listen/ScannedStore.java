package io.ensemble.cache.listen;

import io.ensemble.cache.StoreHandle;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreObserver;
import io.ensemble.site.StoredEntry;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A store in memory that is scanned and observed; it may hang. */
final class ScannedStore implements SiteStore, StoreHandle {

  final Map<Bytes, Bytes> entries = new LinkedHashMap<>();
  boolean isHanging;
  int scans;
  @Nullable StoreObserver observer;

  @Override
  public String site() {
    return "a";
  }

  @Override
  public Optional<SiteStore> current() {
    return Optional.of(this);
  }

  @Override
  public CompletionStage<SiteStore> store(Deadline deadline) {
    return isHanging ? new CompletableFuture<>() : CompletableFuture.completedFuture(this);
  }

  @Override
  public CompletionStage<Runnable> observe(StoreObserver observer, Deadline deadline) {
    this.observer = observer;
    return CompletableFuture.completedFuture(() -> {});
  }

  @Override
  public Scan scan(int batchSize) {
    scans++;
    List<Scan.Item> left = new ArrayList<>();
    entries.forEach((key, value) -> left.add(new Scan.Item(key, value)));
    return new Scan() {
      @Override
      public CompletionStage<List<Item>> next(Deadline deadline) {
        List<Item> batch = new ArrayList<>(left.subList(0, Math.min(batchSize, left.size())));
        left.subList(0, batch.size()).clear();
        return CompletableFuture.completedFuture(batch);
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public CompletionStage<Optional<StoredEntry>> read(Bytes key, Deadline deadline) {
    throw new UnsupportedOperationException("read");
  }

  @Override
  public CompletionStage<Boolean> putIfAbsent(Bytes key, Bytes value, Deadline deadline) {
    throw new UnsupportedOperationException("putIfAbsent");
  }

  @Override
  public CompletionStage<Boolean> replace(Bytes key, long version, Bytes value, Deadline deadline) {
    throw new UnsupportedOperationException("replace");
  }

  @Override
  public CompletionStage<Boolean> remove(Bytes key, long version, Deadline deadline) {
    throw new UnsupportedOperationException("remove");
  }

  @Override
  public CompletionStage<Void> put(Bytes key, Bytes value, Deadline deadline) {
    throw new UnsupportedOperationException("put");
  }

  @Override
  public CompletionStage<Optional<Bytes>> getAndPut(Bytes key, Bytes value, Deadline deadline) {
    throw new UnsupportedOperationException("getAndPut");
  }
}
