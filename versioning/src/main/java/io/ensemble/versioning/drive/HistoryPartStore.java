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
 * The entries beside the histories, which never change: packs and shards. What was read is kept for
 * a while; that an entry is still referred to is for the history to say. Thread-safe; completes on
 * the clockwork's executor.
 */
final class HistoryPartStore {

  static final String PREFIX = "part/";
  private static final int OVERHEAD = 100;

  private static final long LONGEST_REQUEST_MILLIS = 3_000;

  private final ObjectStore store;
  private final RequestRetrier requestRetrier;
  private final TimedExecutor timedExecutor;
  private final long timeoutNanos;
  private final Cache<String, byte[]> kept;

  /**
   * @param keptBytes of how many bytes of entries copies are kept here
   * @param timeout after which a request that fails is not repeated any more
   */
  HistoryPartStore(
      ObjectStore store, TimedExecutor timedExecutor, long keptBytes, Duration timeout) {
    this.store = store;
    this.timedExecutor = timedExecutor;
    this.timeoutNanos = timeout.toNanos();
    this.requestRetrier =
        new RequestRetrier(
            timedExecutor, Duration.ofMillis(Math.min(LONGEST_REQUEST_MILLIS, timeout.toMillis())));
    this.kept =
        Caffeine.newBuilder()
            .maximumWeight(keptBytes)
            .<String, byte[]>weigher((key, value) -> OVERHEAD + key.length() + value.length)
            .executor(Runnable::run)
            .build();
  }

  /** On which it completes. */
  Executor executor() {
    return timedExecutor.executor();
  }

  static String key(String id, long number) {
    return PREFIX + id + "/" + number;
  }

  /** Empty if it is no more, or not yet. */
  CompletionStage<Optional<byte[]>> read(String id, long number) {
    String key = key(id, number);
    byte[] copy = kept.getIfPresent(key);
    if (copy != null) {
      return CompletableFuture.completedFuture(Optional.of(copy));
    }
    return here(requestRetrier.<Optional<Entry>>asked(() -> store.read(key), deadline()))
        .thenApply(
            found -> {
              found.ifPresent(entry -> kept.put(key, entry.value()));
              return found.map(Entry::value);
            });
  }

  private long deadline() {
    return timedExecutor.now() + timeoutNanos;
  }

  CompletionStage<Void> write(String id, long number, byte[] bytes) {
    return here(requestRetrier.asked(() -> store.put(key(id, number), bytes), deadline()));
  }

  /** Off the store's threads, also where it fails. */
  private <R> CompletionStage<R> here(CompletionStage<R> stage) {
    return stage
        .handleAsync((done, failure) -> stage, timedExecutor.executor())
        .thenCompose(Function.identity());
  }

  CompletionStage<Void> remove(String id, Collection<Long> numbers) {
    numbers.forEach(n -> kept.invalidate(key(id, n)));
    return here(
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
