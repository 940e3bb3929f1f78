package io.ensemble.benchmarks.versions;

import io.ensemble.objects.store.ObjectStore;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.infinispan.commons.util.CloseableIterator;

/**
 * Counts the requests to a store and their bytes. Round trips are counted as one user of the store
 * makes them: requests that begin before another of the same kind has ended count as one.
 * Thread-safe.
 */
final class CountingStore implements ObjectStore {

  /**
   * The counts.
   *
   * @param requests requests to the store
   * @param trips round trips one after the other
   * @param bytes bytes of keys and entries in both directions, without events
   */
  record RequestTotals(long requests, long trips, long bytes) {}

  private final ObjectStore store;
  private long requests;
  private long trips;
  private long bytes;
  private boolean recordResponse;

  CountingStore(ObjectStore store) {
    this.store = store;
  }

  /** The counts since the last call. */
  synchronized RequestTotals take() {
    RequestTotals count = new RequestTotals(requests, trips, bytes);
    requests = 0;
    trips = 0;
    bytes = 0;
    recordResponse = true;
    return count;
  }

  private synchronized void recordRequest(long sent) {
    requests++;
    bytes += sent;
    if (recordResponse || trips == 0) {
      trips++;
      recordResponse = false;
    }
  }

  private synchronized void recordResponse(long received) {
    bytes += received;
    recordResponse = true;
  }

  private <R> CompletionStage<R> count(
      long sent, Supplier<CompletionStage<R>> request, ToLongFunction<R> received) {
    recordRequest(sent);
    return request
        .get()
        .whenComplete(
            (answer, failure) ->
                recordResponse(failure == null ? received.applyAsLong(answer) : 0));
  }

  @Override
  public CompletionStage<Optional<Entry>> read(String key) {
    return count(
        key.length(),
        () -> store.read(key),
        found -> found.map(entry -> (long) entry.value().length).orElse(0L));
  }

  @Override
  public CompletionStage<Void> create(String key, byte[] value) {
    return count(key.length() + value.length, () -> store.create(key, value), nothing -> 0);
  }

  @Override
  public CompletionStage<Replaced> replace(String key, Object token, byte[] value) {
    return count(key.length() + value.length, () -> store.replace(key, token, value), done -> 0);
  }

  @Override
  public CompletionStage<Void> put(String key, byte[] value) {
    return count(key.length() + value.length, () -> store.put(key, value), nothing -> 0);
  }

  @Override
  public CompletionStage<Void> remove(String key) {
    return count(key.length(), () -> store.remove(key), nothing -> 0);
  }

  @Override
  public CloseableIterator<String> keys(String prefix) {
    return store.keys(prefix); // Not counted: no operation on one key uses it.
  }

  @Override
  public Optional<AutoCloseable> watch(Consumer<Change> listener) {
    return store.watch(listener);
  }
}
