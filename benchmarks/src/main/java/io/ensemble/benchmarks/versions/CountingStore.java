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
  record Count(long requests, long trips, long bytes) {}

  private final ObjectStore store;
  private long requests;
  private long trips;
  private long bytes;
  private boolean answered;

  CountingStore(ObjectStore store) {
    this.store = store;
  }

  /** The counts since the last call. */
  synchronized Count take() {
    Count count = new Count(requests, trips, bytes);
    requests = 0;
    trips = 0;
    bytes = 0;
    answered = true;
    return count;
  }

  private synchronized void asked(long sent) {
    requests++;
    bytes += sent;
    if (answered || trips == 0) {
      trips++;
      answered = false;
    }
  }

  private synchronized void answered(long received) {
    bytes += received;
    answered = true;
  }

  private <R> CompletionStage<R> counted(
      long sent, Supplier<CompletionStage<R>> request, ToLongFunction<R> received) {
    asked(sent);
    return request
        .get()
        .whenComplete(
            (answer, failure) -> answered(failure == null ? received.applyAsLong(answer) : 0));
  }

  @Override
  public CompletionStage<Optional<Entry>> read(String key) {
    return counted(
        key.length(),
        () -> store.read(key),
        found -> found.map(entry -> (long) entry.value().length).orElse(0L));
  }

  @Override
  public CompletionStage<Void> create(String key, byte[] value) {
    return counted(key.length() + value.length, () -> store.create(key, value), nothing -> 0);
  }

  @Override
  public CompletionStage<Replaced> replace(String key, Object token, byte[] value) {
    return counted(key.length() + value.length, () -> store.replace(key, token, value), done -> 0);
  }

  @Override
  public CompletionStage<Void> put(String key, byte[] value) {
    return counted(key.length() + value.length, () -> store.put(key, value), nothing -> 0);
  }

  @Override
  public CompletionStage<Void> remove(String key) {
    return counted(key.length(), () -> store.remove(key), nothing -> 0);
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
