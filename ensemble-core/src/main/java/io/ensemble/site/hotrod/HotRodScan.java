package io.ensemble.site.hotrod;

import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore.Scan;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.infinispan.client.hotrod.RemoteCache;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/**
 * A scan of a store. The scan requests a batch from the nodes when the caller requests one, so that
 * other entries stay at the nodes; it blocks no thread. After a failure the scan begins again.
 */
final class HotRodScan implements Scan {

  private final Supplier<RemoteCache<byte[], byte[]>> store;
  private final Supplier<StorePingGuard> doubts;
  private final int batchSize;
  private final HotRodResponses hotRodResponses;
  private @Nullable Walk walk;
  private boolean closed;

  HotRodScan(
      Supplier<RemoteCache<byte[], byte[]>> store,
      Supplier<StorePingGuard> doubts,
      int batchSize,
      HotRodResponses hotRodResponses) {
    if (batchSize < 1) {
      throw new IllegalArgumentException(
          "batch size of a scan must be at least 1; got " + batchSize);
    }
    this.store = store;
    this.doubts = doubts;
    this.batchSize = batchSize;
    this.hotRodResponses = hotRodResponses;
  }

  @Override
  public CompletionStage<List<Item>> next(Deadline deadline) {
    String what = "store=" + store.get().getName() + " request=scan";
    StorePingGuard doubt = doubts.get();
    return hotRodResponses
        .to(what, this::nextBatch, Function.<List<Item>>identity())
        .whenComplete((batch, failure) -> doubt.noted(failure));
  }

  private CompletableFuture<List<Item>> nextBatch() {
    Walk current;
    boolean begins = false;
    synchronized (this) {
      if (closed) {
        throw new IllegalStateException("the scan is closed");
      }
      if (walk == null || walk.hasFailed()) {
        walk = new Walk(batchSize);
        begins = true;
      }
      current = walk;
    }
    CompletableFuture<List<Item>> batch = current.expectBatch();
    if (begins) {
      begin(current);
    } else {
      current.requestBatch();
    }
    return batch;
  }

  /**
   * Reads first, at the price of a round trip. Without it, the scan of a site that is down or has
   * lost the store would ask all nodes and print their errors on the console.
   */
  private void begin(Walk current) {
    try {
      RemoteCache<byte[], byte[]> cache = store.get();
      doubts
          .get()
          .admitted(() -> TopologyCheck.answer(cache))
          .thenAccept(
              nodes -> cache.<byte[]>publishEntries(null, null, null, batchSize).subscribe(current))
          .whenComplete(
              (begun, failure) -> {
                if (failure != null) {
                  current.onError(failure);
                }
              });
    } catch (RuntimeException failure) {
      current.onError(failure);
    }
  }

  @Override
  public void close() {
    Walk current;
    synchronized (this) {
      closed = true;
      current = walk;
    }
    if (current != null) {
      current.cancel();
    }
  }

  /** One pass. The publisher calls it by turns; its state is guarded by its lock. */
  private static final class Walk implements Subscriber<Map.Entry<byte[], byte[]>> {

    private final int batchSize;
    private List<Item> batch = new ArrayList<>();
    private @Nullable CompletableFuture<List<Item>> expected;
    private @Nullable Subscription subscription;
    private boolean ended;
    private boolean cancelled;
    private @Nullable Throwable failure;

    Walk(int batchSize) {
      this.batchSize = batchSize;
    }

    synchronized boolean hasFailed() {
      return failure != null;
    }

    synchronized CompletableFuture<List<Item>> expectBatch() {
      if (expected != null) {
        throw new IllegalStateException("a scan must have one caller at a time");
      }
      expected = new CompletableFuture<>();
      return expected;
    }

    void requestBatch() {
      Subscription current;
      synchronized (this) {
        current = ended ? null : subscription;
      }
      if (current == null) {
        deliver(null);
      } else {
        current.request(batchSize);
      }
    }

    void cancel() {
      Subscription current;
      synchronized (this) {
        cancelled = true;
        current = subscription;
      }
      if (current != null) {
        current.cancel();
      }
      deliver(new IllegalStateException("the scan was closed"));
    }

    @Override
    public void onSubscribe(Subscription begun) {
      boolean unwanted;
      synchronized (this) {
        subscription = begun;
        unwanted = cancelled;
      }
      if (unwanted) {
        begun.cancel();
      } else {
        begun.request(batchSize);
      }
    }

    @Override
    public void onNext(Map.Entry<byte[], byte[]> entry) {
      boolean full;
      synchronized (this) {
        batch.add(new Item(Bytes.of(entry.getKey()), Bytes.of(entry.getValue())));
        full = batch.size() == batchSize;
      }
      if (full) {
        deliver(null);
      }
    }

    @Override
    public void onError(Throwable thrown) {
      synchronized (this) {
        failure = thrown;
      }
      deliver(thrown);
    }

    @Override
    public void onComplete() {
      synchronized (this) {
        ended = true;
      }
      deliver(null);
    }

    private void deliver(@Nullable Throwable thrown) {
      CompletableFuture<List<Item>> promise;
      List<Item> items;
      synchronized (this) {
        promise = expected;
        expected = null;
        items = batch;
        if (promise != null) {
          batch = new ArrayList<>();
        }
      }
      if (promise != null && thrown != null) {
        promise.completeExceptionally(thrown);
      } else if (promise != null) {
        promise.complete(items);
      }
    }
  }
}
