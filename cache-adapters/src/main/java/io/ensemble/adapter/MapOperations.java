package io.ensemble.adapter;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The operations of a map that the adapters require. They are those of {@code ConcurrentMap}, as
 * futures that complete with the same results, null where {@code ConcurrentMap} returns null. A
 * lifespan of zero means no expiry. A method throws a mistake of the caller immediately instead of
 * failing the future. Thread-safe.
 */
public interface MapOperations<K, V> {

  CompletableFuture<Optional<V>> get(Object key);

  CompletableFuture<Boolean> containsKey(Object key);

  CompletableFuture<Boolean> containsValue(Object value);

  CompletableFuture<Map<K, V>> getAll(Set<?> keys);

  CompletableFuture<Long> size();

  CompletableFuture<Void> clear();

  CompletableFuture<@Nullable V> put(K key, V value, Duration lifespan);

  CompletableFuture<Void> putAll(Map<? extends K, ? extends V> entries, Duration lifespan);

  CompletableFuture<@Nullable V> remove(Object key);

  CompletableFuture<Boolean> remove(Object key, Object expected);

  /** Removes the key, and completes with whether the key was present. */
  CompletableFuture<Boolean> removePresent(Object key);

  CompletableFuture<@Nullable V> putIfAbsent(K key, V value, Duration lifespan);

  CompletableFuture<@Nullable V> replace(K key, V value, Duration lifespan);

  CompletableFuture<Boolean> replace(K key, V expected, V value, Duration lifespan);

  CompletableFuture<@Nullable V> compute(
      K key, BiFunction<? super K, ? super V, ? extends V> function, Duration lifespan);

  CompletableFuture<@Nullable V> computeIfPresent(
      K key, BiFunction<? super K, ? super V, ? extends V> function, Duration lifespan);

  CompletableFuture<@Nullable V> computeIfAbsent(
      K key, Function<? super K, ? extends V> function, Duration lifespan);

  CompletableFuture<@Nullable V> merge(
      K key, V value, BiFunction<? super V, ? super V, ? extends V> function, Duration lifespan);
}
