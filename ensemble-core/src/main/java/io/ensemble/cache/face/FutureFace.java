package io.ensemble.cache.face;

import io.ensemble.WriteOutcome;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.infinispan.commons.api.AsyncCache;

/** Infinispan's methods that return futures, over the asynchronous face. */
interface FutureFace<K, V> extends AsyncCache<K, V> {

  /** The operations, superseded writes answering as applied ones. */
  AsyncFace<K, V> face();

  /** The result of a write, or the exception that says what its outcome says. */
  default <R> CompletableFuture<R> plain(CompletableFuture<WriteOutcome<R>> outcome) {
    return Outcomes.valueOf(face().cells().cache(), outcome);
  }

  @Override
  default CompletableFuture<V> getAsync(K key) {
    CompletableFuture<V> value = new CompletableFuture<>();
    face()
        .get(key)
        .whenComplete(
            (found, failure) -> {
              if (failure != null) {
                value.completeExceptionally(failure);
              } else {
                value.complete(found.orElse(null));
              }
            });
    return value;
  }

  @Override
  default CompletableFuture<Boolean> containsKeyAsync(K key) {
    return face().containsKey(key);
  }

  @Override
  default CompletableFuture<Map<K, V>> getAllAsync(Set<?> keys) {
    return face().getAll(keys);
  }

  @Override
  default CompletableFuture<Long> sizeAsync() {
    return face().size();
  }

  @Override
  default CompletableFuture<Void> clearAsync() {
    return face().clear();
  }

  @Override
  default CompletableFuture<V> removeAsync(Object key) {
    return plain(face().remove(key));
  }

  @Override
  default CompletableFuture<Boolean> removeAsync(Object key, Object value) {
    return plain(face().remove(key, value));
  }

  @Override
  default CompletableFuture<V> putAsync(K key, V value) {
    return plain(face().put(key, value, Duration.ZERO));
  }

  @Override
  default CompletableFuture<V> putAsync(K key, V value, long lifespan, TimeUnit unit) {
    return plain(face().put(key, value, Lifespans.of(lifespan, unit)));
  }

  @Override
  default CompletableFuture<V> putAsync(
      K key, V value, long lifespan, TimeUnit unit, long maxIdle, TimeUnit maxIdleUnit) {
    return plain(face().put(key, value, Lifespans.of(lifespan, unit, maxIdle, maxIdleUnit)));
  }

  @Override
  default CompletableFuture<Void> putAllAsync(Map<? extends K, ? extends V> entries) {
    return face().putAll(entries, Duration.ZERO);
  }

  @Override
  default CompletableFuture<Void> putAllAsync(
      Map<? extends K, ? extends V> entries, long lifespan, TimeUnit unit) {
    return face().putAll(entries, Lifespans.of(lifespan, unit));
  }

  @Override
  default CompletableFuture<Void> putAllAsync(
      Map<? extends K, ? extends V> entries,
      long lifespan,
      TimeUnit unit,
      long maxIdle,
      TimeUnit maxIdleUnit) {
    return face().putAll(entries, Lifespans.of(lifespan, unit, maxIdle, maxIdleUnit));
  }

  @Override
  default CompletableFuture<V> putIfAbsentAsync(K key, V value) {
    return plain(face().putIfAbsent(key, value, Duration.ZERO));
  }

  @Override
  default CompletableFuture<V> putIfAbsentAsync(K key, V value, long lifespan, TimeUnit unit) {
    return plain(face().putIfAbsent(key, value, Lifespans.of(lifespan, unit)));
  }

  @Override
  default CompletableFuture<V> putIfAbsentAsync(
      K key, V value, long lifespan, TimeUnit unit, long maxIdle, TimeUnit maxIdleUnit) {
    return plain(
        face().putIfAbsent(key, value, Lifespans.of(lifespan, unit, maxIdle, maxIdleUnit)));
  }

  @Override
  default CompletableFuture<V> replaceAsync(K key, V value) {
    return plain(face().replace(key, value, Duration.ZERO));
  }

  @Override
  default CompletableFuture<V> replaceAsync(K key, V value, long lifespan, TimeUnit unit) {
    return plain(face().replace(key, value, Lifespans.of(lifespan, unit)));
  }

  @Override
  default CompletableFuture<V> replaceAsync(
      K key, V value, long lifespan, TimeUnit unit, long maxIdle, TimeUnit maxIdleUnit) {
    return plain(face().replace(key, value, Lifespans.of(lifespan, unit, maxIdle, maxIdleUnit)));
  }

  @Override
  default CompletableFuture<Boolean> replaceAsync(K key, V expected, V value) {
    return plain(face().replace(key, expected, value, Duration.ZERO));
  }

  @Override
  default CompletableFuture<Boolean> replaceAsync(
      K key, V expected, V value, long lifespan, TimeUnit unit) {
    return plain(face().replace(key, expected, value, Lifespans.of(lifespan, unit)));
  }

  @Override
  default CompletableFuture<Boolean> replaceAsync(
      K key,
      V expected,
      V value,
      long lifespan,
      TimeUnit unit,
      long maxIdle,
      TimeUnit maxIdleUnit) {
    return plain(
        face().replace(key, expected, value, Lifespans.of(lifespan, unit, maxIdle, maxIdleUnit)));
  }

  @Override
  default CompletableFuture<V> computeAsync(
      K key, BiFunction<? super K, ? super V, ? extends V> function) {
    return plain(face().compute(key, function, Duration.ZERO));
  }

  @Override
  default CompletableFuture<V> computeAsync(
      K key, BiFunction<? super K, ? super V, ? extends V> function, long lifespan, TimeUnit unit) {
    return plain(face().compute(key, function, Lifespans.of(lifespan, unit)));
  }

  @Override
  default CompletableFuture<V> computeAsync(
      K key,
      BiFunction<? super K, ? super V, ? extends V> function,
      long lifespan,
      TimeUnit unit,
      long maxIdle,
      TimeUnit maxIdleUnit) {
    return plain(face().compute(key, function, Lifespans.of(lifespan, unit, maxIdle, maxIdleUnit)));
  }

  @Override
  default CompletableFuture<V> computeIfPresentAsync(
      K key, BiFunction<? super K, ? super V, ? extends V> function) {
    return plain(face().computeIfPresent(key, function, Duration.ZERO));
  }

  @Override
  default CompletableFuture<V> computeIfPresentAsync(
      K key, BiFunction<? super K, ? super V, ? extends V> function, long lifespan, TimeUnit unit) {
    return plain(face().computeIfPresent(key, function, Lifespans.of(lifespan, unit)));
  }

  @Override
  default CompletableFuture<V> computeIfPresentAsync(
      K key,
      BiFunction<? super K, ? super V, ? extends V> function,
      long lifespan,
      TimeUnit unit,
      long maxIdle,
      TimeUnit maxIdleUnit) {
    return plain(
        face().computeIfPresent(key, function, Lifespans.of(lifespan, unit, maxIdle, maxIdleUnit)));
  }

  @Override
  default CompletableFuture<V> computeIfAbsentAsync(
      K key, Function<? super K, ? extends V> function) {
    return plain(face().computeIfAbsent(key, function, Duration.ZERO));
  }

  @Override
  default CompletableFuture<V> computeIfAbsentAsync(
      K key, Function<? super K, ? extends V> function, long lifespan, TimeUnit unit) {
    return plain(face().computeIfAbsent(key, function, Lifespans.of(lifespan, unit)));
  }

  @Override
  default CompletableFuture<V> computeIfAbsentAsync(
      K key,
      Function<? super K, ? extends V> function,
      long lifespan,
      TimeUnit unit,
      long maxIdle,
      TimeUnit maxIdleUnit) {
    return plain(
        face().computeIfAbsent(key, function, Lifespans.of(lifespan, unit, maxIdle, maxIdleUnit)));
  }

  @Override
  default CompletableFuture<V> mergeAsync(
      K key, V value, BiFunction<? super V, ? super V, ? extends V> function) {
    return plain(face().merge(key, value, function, Duration.ZERO));
  }

  @Override
  default CompletableFuture<V> mergeAsync(
      K key,
      V value,
      BiFunction<? super V, ? super V, ? extends V> function,
      long lifespan,
      TimeUnit unit) {
    return plain(face().merge(key, value, function, Lifespans.of(lifespan, unit)));
  }

  @Override
  default CompletableFuture<V> mergeAsync(
      K key,
      V value,
      BiFunction<? super V, ? super V, ? extends V> function,
      long lifespan,
      TimeUnit unit,
      long maxIdle,
      TimeUnit maxIdleUnit) {
    return plain(
        face().merge(key, value, function, Lifespans.of(lifespan, unit, maxIdle, maxIdleUnit)));
  }
}
