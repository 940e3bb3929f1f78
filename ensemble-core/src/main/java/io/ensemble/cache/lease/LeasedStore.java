package io.ensemble.cache.lease;

import io.ensemble.envelope.EnvelopeCodec;
import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreObserver;
import io.ensemble.site.StoredEntry;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A store whose responses are valid only while its site is under lease. Requests are sent in any
 * case: a late copy is harmless after the last read, and useful before. After a pause the end is
 * read at the site in parallel with the request.
 */
record LeasedStore(SiteStore store, ConfigurationEndReader trust, int index) implements SiteStore {

  @Override
  public String site() {
    return store.site();
  }

  @Override
  public boolean isNodeLocal() {
    return store.isNodeLocal();
  }

  @Override
  public CompletionStage<Optional<StoredEntry>> read(Bytes key, Deadline deadline) {
    trust.use(index);
    return trusted(store.read(key, deadline), deadline);
  }

  @Override
  public CompletionStage<Optional<Bytes>> get(Bytes key, Deadline deadline) {
    trust.use(index);
    return trusted(store.get(key, deadline), deadline);
  }

  @Override
  public CompletionStage<Boolean> putIfAbsent(Bytes key, Bytes value, Deadline deadline) {
    trust.use(index);
    return trusted(store.putIfAbsent(key, value, deadline), deadline);
  }

  @Override
  public CompletionStage<Boolean> replace(Bytes key, long version, Bytes value, Deadline deadline) {
    trust.use(index);
    return trusted(store.replace(key, version, value, deadline), deadline);
  }

  @Override
  public CompletionStage<Boolean> remove(Bytes key, long version, Deadline deadline) {
    trust.use(index);
    return trusted(store.remove(key, version, deadline), deadline);
  }

  @Override
  public CompletionStage<Void> put(Bytes key, Bytes value, Deadline deadline) {
    trust.use(index);
    return trusted(store.put(key, value, deadline), deadline);
  }

  @Override
  public CompletionStage<Optional<Bytes>> getAndPut(Bytes key, Bytes value, Deadline deadline) {
    trust.use(index);
    CompletionStage<Optional<Bytes>> displaced = store.getAndPut(key, value, deadline);
    return trusted(displaced, deadline)
        .whenComplete(
            (found, failure) -> {
              if (failure != null) {
                displaced.thenAccept(
                    older -> older.ifPresent(it -> putBack(key, value, it, deadline)));
              }
            });
  }

  /**
   * The put failed for its caller, which does not see the displaced entry. If that entry is newer,
   * this method puts it back, as the caller would.
   */
  private void putBack(Bytes key, Bytes value, Bytes displaced, Deadline deadline) {
    if (isNewer(displaced, value)) {
      store
          .read(key, deadline)
          .thenAccept(
              now ->
                  now.filter(entry -> entry.value().equals(value))
                      .ifPresent(
                          entry -> store.replace(key, entry.version(), displaced, deadline)));
    }
  }

  private static boolean isNewer(Bytes one, Bytes other) {
    try {
      return EnvelopeCodec.stampOf(one).isAfter(EnvelopeCodec.stampOf(other));
    } catch (MalformedEnvelopeException notOurs) {
      return false;
    }
  }

  @Override
  public CompletionStage<Runnable> observe(StoreObserver observer, Deadline deadline) {
    return store.observe(trust.observedUnderLease(observer, index), deadline);
  }

  @Override
  public SiteStore prioritized() {
    return new LeasedStore(store.prioritized(), trust, index);
  }

  @Override
  public Scan scan(int batchSize) {
    Scan scan = store.scan(batchSize);
    return new Scan() {
      @Override
      public CompletionStage<List<Item>> next(Deadline deadline) {
        trust.use(index);
        return trusted(scan.next(deadline), deadline);
      }

      @Override
      public void close() {
        scan.close();
      }
    };
  }

  private <T> CompletionStage<T> trusted(CompletionStage<T> answer, Deadline deadline) {
    return answer.thenCompose(
        found ->
            trust.mayAnswer(index)
                ? CompletableFuture.completedFuture(found)
                : trust
                    .confirmed(index, deadline)
                    .thenApply(
                        yes -> {
                          if (!yes) {
                            throw trust.isEnding()
                                ? new SiteException(site(), Reason.FAILED, LeasedEngine.ENDING)
                                : new SiteException(
                                    site(), Reason.TIMED_OUT, LeasedEngine.UNCONFIRMED);
                          }
                          return found;
                        }));
  }
}
