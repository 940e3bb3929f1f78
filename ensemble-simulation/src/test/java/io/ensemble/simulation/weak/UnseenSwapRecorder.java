package io.ensemble.simulation.weak;

import io.ensemble.envelope.EnvelopeCodec;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreObserver;
import io.ensemble.site.StoredEntry;
import io.ensemble.stamp.Stamp;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * A store that records the swaps whose answers its client did not receive. Each of them may have
 * replaced a newer value unnoticed.
 */
final class UnseenSwapRecorder implements SiteStore {

  /** A swap without an answer. */
  record Swap(String client, String site, Bytes key, Stamp stamp) {}

  private final SiteStore store;
  private final String client;
  private final List<Swap> unseen;

  UnseenSwapRecorder(SiteStore store, String client, List<Swap> unseen) {
    this.store = store;
    this.client = client;
    this.unseen = unseen;
  }

  @Override
  public String site() {
    return store.site();
  }

  @Override
  public CompletionStage<Optional<StoredEntry>> read(Bytes key, Deadline deadline) {
    return store.read(key, deadline);
  }

  @Override
  public CompletionStage<Boolean> putIfAbsent(Bytes key, Bytes value, Deadline deadline) {
    return store.putIfAbsent(key, value, deadline);
  }

  @Override
  public CompletionStage<Boolean> replace(Bytes key, long version, Bytes value, Deadline deadline) {
    return store.replace(key, version, value, deadline);
  }

  @Override
  public CompletionStage<Boolean> remove(Bytes key, long version, Deadline deadline) {
    return store.remove(key, version, deadline);
  }

  @Override
  public CompletionStage<Void> put(Bytes key, Bytes value, Deadline deadline) {
    throw new AssertionError("a cache with several sites never writes without looking");
  }

  @Override
  public CompletionStage<Optional<Bytes>> getAndPut(Bytes key, Bytes value, Deadline deadline) {
    Swap swap = new Swap(client, site(), key, EnvelopeCodec.stampOf(value));
    unseen.add(swap);
    return store
        .getAndPut(key, value, deadline)
        .whenComplete(
            (before, failure) -> {
              if (failure == null || isHarmless(failure)) {
                unseen.remove(swap);
              }
            });
  }

  @Override
  public CompletionStage<Runnable> observe(StoreObserver observer, Deadline deadline) {
    return store.observe(observer, deadline);
  }

  @Override
  public Scan scan(int batchSize) {
    return store.scan(batchSize);
  }

  private static boolean isHarmless(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause instanceof SiteException site
        && (site.isNotSent()
            || switch (site.reason()) {
              case STORE_LOST, UNSUITABLE -> true;
              case BUSY, DELETED, NOT_ALLOWED, UNREACHABLE, TIMED_OUT, DEGRADED, FAILED -> false;
            });
  }
}
