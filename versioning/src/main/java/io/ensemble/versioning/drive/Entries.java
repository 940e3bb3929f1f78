package io.ensemble.versioning.drive;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.ensemble.objects.store.ObjectStore;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The entries beside the histories, which never change: packs and shards. What was read is kept for
 * a while; that an entry is still referred to is for the history to say. Thread-safe.
 */
final class Entries {

  private static final String PREFIX = "part/";
  private static final int OVERHEAD = 100;

  private final ObjectStore store;
  private final Cache<String, byte[]> kept;

  /**
   * @param keptBytes of how many bytes of entries copies are kept here
   */
  Entries(ObjectStore store, long keptBytes) {
    this.store = store;
    this.kept =
        Caffeine.newBuilder()
            .maximumWeight(keptBytes)
            .<String, byte[]>weigher((key, value) -> OVERHEAD + key.length() + value.length)
            .executor(Runnable::run)
            .build();
  }

  private static String key(String id, long number) {
    return PREFIX + id + "/" + number;
  }

  /** Empty if it is no more, or not yet. */
  CompletionStage<Optional<byte[]>> read(String id, long number) {
    String key = key(id, number);
    byte[] copy = kept.getIfPresent(key);
    if (copy != null) {
      return CompletableFuture.completedFuture(Optional.of(copy));
    }
    return store
        .read(key)
        .thenApply(
            found -> {
              found.ifPresent(entry -> kept.put(key, entry.value()));
              return found.map(ObjectStore.Entry::value);
            });
  }

  CompletionStage<Void> write(String id, long number, byte[] bytes) {
    return store.put(key(id, number), bytes);
  }

  CompletionStage<Void> remove(String id, Collection<Long> numbers) {
    numbers.forEach(n -> kept.invalidate(key(id, n)));
    return CompletableFuture.allOf(
        numbers.stream()
            .map(n -> store.remove(key(id, n)).toCompletableFuture())
            .toArray(CompletableFuture[]::new));
  }
}
