package io.ensemble.cache.adapter;

import io.ensemble.WriteOutcome;
import io.ensemble.adapter.MapOperations;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The operations of an Ensemble cache, with exceptions instead of outcomes. */
record ThrowingOperations<K, V>(AsyncCacheAdapter<K, V> face) implements MapOperations<K, V> {

  private <R> CompletableFuture<@Nullable R> plain(CompletableFuture<WriteOutcome<R>> outcome) {
    return OutcomeConverter.valueOf(face.cells().cache(), outcome);
  }

  @Override
  public CompletableFuture<Optional<V>> get(Object key) {
    return face.get(key);
  }

  @Override
  public CompletableFuture<Boolean> containsKey(Object key) {
    return face.containsKey(key);
  }

  @Override
  public CompletableFuture<Boolean> containsValue(Object value) {
    return face.containsValue(value);
  }

  @Override
  public CompletableFuture<Map<K, V>> getAll(Set<?> keys) {
    return face.getAll(keys);
  }

  @Override
  public CompletableFuture<Long> size() {
    return face.size();
  }

  @Override
  public CompletableFuture<Void> clear() {
    return face.clear();
  }

  @Override
  public CompletableFuture<@Nullable V> put(K key, V value, Duration lifespan) {
    return plain(face.put(key, value, lifespan));
  }

  @Override
  public CompletableFuture<Void> putAll(Map<? extends K, ? extends V> entries, Duration lifespan) {
    return face.putAll(entries, lifespan);
  }

  @Override
  public CompletableFuture<@Nullable V> remove(Object key) {
    return plain(face.remove(key));
  }

  @Override
  public CompletableFuture<Boolean> remove(Object key, Object expected) {
    return plain(face.remove(key, expected));
  }

  @Override
  public CompletableFuture<Boolean> removePresent(Object key) {
    return plain(face.removePresent(key));
  }

  @Override
  public CompletableFuture<@Nullable V> putIfAbsent(K key, V value, Duration lifespan) {
    return plain(face.putIfAbsent(key, value, lifespan));
  }

  @Override
  public CompletableFuture<@Nullable V> replace(K key, V value, Duration lifespan) {
    return plain(face.replace(key, value, lifespan));
  }

  @Override
  public CompletableFuture<Boolean> replace(K key, V expected, V value, Duration lifespan) {
    return plain(face.replace(key, expected, value, lifespan));
  }

  @Override
  public CompletableFuture<@Nullable V> compute(
      K key, BiFunction<? super K, ? super V, ? extends V> function, Duration lifespan) {
    return plain(face.compute(key, function, lifespan));
  }

  @Override
  public CompletableFuture<@Nullable V> computeIfPresent(
      K key, BiFunction<? super K, ? super V, ? extends V> function, Duration lifespan) {
    return plain(face.computeIfPresent(key, function, lifespan));
  }

  @Override
  public CompletableFuture<@Nullable V> computeIfAbsent(
      K key, Function<? super K, ? extends V> function, Duration lifespan) {
    return plain(face.computeIfAbsent(key, function, lifespan));
  }

  @Override
  public CompletableFuture<@Nullable V> merge(
      K key, V value, BiFunction<? super V, ? super V, ? extends V> function, Duration lifespan) {
    return plain(face.merge(key, value, function, lifespan));
  }
}
