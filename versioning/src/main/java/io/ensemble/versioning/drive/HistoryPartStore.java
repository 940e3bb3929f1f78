package io.ensemble.versioning.drive;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.ensemble.objects.runtime.RequestRetrier;
import io.ensemble.objects.runtime.TimedExecutor;
import io.ensemble.objects.store.ObjectStore;
import io.ensemble.objects.store.ObjectStore.Entry;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;

/**
 * The immutable entries beside the histories: packs and shards. Entries that were read are cached
 * for some time; whether an entry is still referenced is determined by the history. Thread-safe;
 * completes on the executor of {@link TimedExecutor}.
 */
final class HistoryPartStore {

  static final String PREFIX = "part/";
  private static final int OVERHEAD = 100;

  private static final long LONGEST_REQUEST_MILLIS = 3_000;

  private final ObjectStore store;
  private final RequestRetrier requestRetrier;
  private final TimedExecutor timedExecutor;
  private final long timeoutNanos;
  private final Cache<String, byte[]> cached;

  /**
   * @param keptBytes the maximum size of all cached entries, in bytes
   * @param timeout the time after which a failed request is not retried any more
   */
  HistoryPartStore(
      ObjectStore store, TimedExecutor timedExecutor, long keptBytes, Duration timeout) {
    this.store = store;
    this.timedExecutor = timedExecutor;
    this.timeoutNanos = timeout.toNanos();
    this.requestRetrier =
        new RequestRetrier(
            timedExecutor, Duration.ofMillis(Math.min(LONGEST_REQUEST_MILLIS, timeout.toMillis())));
    this.cached =
        Caffeine.newBuilder()
            .maximumWeight(keptBytes)
            .<String, byte[]>weigher((key, value) -> OVERHEAD + key.length() + value.length)
            .executor(Runnable::run)
            .build();
  }

  /** The executor on which stages complete. */
  Executor executor() {
    return timedExecutor.executor();
  }

  static String key(String id, long number) {
    return PREFIX + id + "/" + number;
  }

  /** Empty if the entry no longer exists, or not yet. */
  CompletionStage<Optional<byte[]>> read(String id, long number) {
    String key = key(id, number);
    byte[] copy = cached.getIfPresent(key);
    if (copy != null) {
      return CompletableFuture.completedFuture(Optional.of(copy));
    }
    return onExecutor(requestRetrier.<Optional<Entry>>asked(() -> store.read(key), deadline()))
        .thenApply(
            found -> {
              found.ifPresent(entry -> cached.put(key, entry.value()));
              return found.map(Entry::value);
            });
  }

  private long deadline() {
    return timedExecutor.now() + timeoutNanos;
  }

  CompletionStage<Void> write(String id, long number, byte[] bytes) {
    return onExecutor(requestRetrier.asked(() -> store.put(key(id, number), bytes), deadline()));
  }

  /** Leaves the threads of the store, also after a failure. */
  private <R> CompletionStage<R> onExecutor(CompletionStage<R> stage) {
    return stage
        .handleAsync((done, failure) -> stage, timedExecutor.executor())
        .thenCompose(Function.identity());
  }

  CompletionStage<Void> remove(String id, Collection<Long> numbers) {
    numbers.forEach(n -> cached.invalidate(key(id, n)));
    return onExecutor(
        CompletableFuture.allOf(
            numbers.stream()
                .map(
                    n ->
                        requestRetrier
                            .<Void>asked(() -> store.remove(key(id, n)), deadline())
                            .toCompletableFuture())
                .toArray(CompletableFuture[]::new)));
  }
}
