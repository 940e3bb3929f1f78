package io.ensemble.catalog;

import io.ensemble.CacheOperationRecorder;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.lease.ReservedKey;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreObserver;
import io.ensemble.site.StoredEntry;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A store that measures its requests, and reports them to the witnesses of the calls that cause
 * them. If the store is lost, {@code lost} is called before the request fails.
 *
 * @param lost called with this store, perhaps several times
 */
record InstrumentedStore(
    SiteStore store,
    String cache,
    Scheduler scheduler,
    CacheMetrics metrics,
    Consumer<SiteStore> lost)
    implements SiteStore {

  @Override
  public String site() {
    return store.site();
  }

  @Override
  public CompletionStage<Optional<StoredEntry>> read(Bytes key, Deadline deadline) {
    return asked("read", false, deadline, () -> store.read(key, deadline));
  }

  @Override
  public CompletionStage<Optional<Bytes>> get(Bytes key, Deadline deadline) {
    return asked("get", false, deadline, () -> store.get(key, deadline));
  }

  @Override
  public CompletionStage<Boolean> putIfAbsent(Bytes key, Bytes value, Deadline deadline) {
    return asked("put_if_absent", true, deadline, () -> store.putIfAbsent(key, value, deadline));
  }

  @Override
  public CompletionStage<Boolean> replace(Bytes key, long version, Bytes value, Deadline deadline) {
    return asked("replace", true, deadline, () -> store.replace(key, version, value, deadline));
  }

  @Override
  public CompletionStage<Boolean> remove(Bytes key, long version, Deadline deadline) {
    return asked("remove", true, deadline, () -> store.remove(key, version, deadline));
  }

  @Override
  public CompletionStage<Void> put(Bytes key, Bytes value, Deadline deadline) {
    return asked("put", true, deadline, () -> store.put(key, value, deadline));
  }

  @Override
  public CompletionStage<Optional<Bytes>> getAndPut(Bytes key, Bytes value, Deadline deadline) {
    return asked("get_and_put", true, deadline, () -> store.getAndPut(key, value, deadline));
  }

  @Override
  public boolean isNodeLocal() {
    return store.isNodeLocal();
  }

  @Override
  public CompletionStage<Runnable> observe(StoreObserver observer, Deadline deadline) {
    return asked("observe", false, deadline, () -> store.observe(observer, deadline));
  }

  /** Reports this store as lost, not the view, because the handle knows only this store. */
  @Override
  public SiteStore prioritized() {
    return new InstrumentedStore(
        store.prioritized(), cache, scheduler, metrics, view -> lost.accept(this));
  }

  @Override
  public Scan scan(int batchSize) {
    Scan scan = ReservedKey.without(store.scan(batchSize));
    return new Scan() {
      @Override
      public CompletionStage<List<Item>> next(Deadline deadline) {
        return asked("scan", false, deadline, () -> scan.next(deadline));
      }

      @Override
      public void close() {
        scan.close();
      }
    };
  }

  private <T> CompletionStage<T> asked(
      String request, boolean writes, Deadline deadline, Supplier<CompletionStage<T>> sent) {
    boolean isTimed = metrics.timesRequest();
    long start = isTimed ? scheduler.nanos() : 0;
    CompletionStage<T> answer = deadline.asking(site(), cache, request, writes, sent);
    return answer.whenComplete(
        (result, failure) -> {
          if (failure != null
              && CompletionCause.of(failure) instanceof SiteException site
              && site.reason() == Reason.STORE_LOST) {
            lost.accept(this);
          }
          long nanos = isTimed ? scheduler.nanos() - start : CacheOperationRecorder.NO_TIME;
          if (metrics.observed()) {
            long shown = failure == null ? nanos : CacheOperationRecorder.NO_TIME;
            metrics.observe(observer -> observer.request(site(), writes, shown));
          }
          if (metrics.enabled()) {
            metrics.siteRequest(site(), request, outcome(failure), nanos);
          }
        });
  }

  private static String outcome(Throwable failure) {
    if (failure == null) {
      return "ok";
    }
    return CompletionCause.of(failure) instanceof SiteException site
        ? site.reason().name().toLowerCase(Locale.ROOT)
        : "failed";
  }
}
