package io.ensemble.adapter;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.infinispan.commons.api.AsyncCache;

/** Implements Infinispan's methods that return futures with the operations of a map. */
public interface AsyncMapAdapter<K, V> extends AsyncCache<K, V> {

  /** The operations to which all methods of this interface delegate. */
  MapOperations<K, V> operations();

  @Override
  default CompletableFuture<V> getAsync(K key) {
    CompletableFuture<V> value = new CompletableFuture<>();
    operations()
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
    return operations().containsKey(key);
  }

  @Override
  default CompletableFuture<Map<K, V>> getAllAsync(Set<?> keys) {
    return operations().getAll(keys);
  }

  @Override
  default CompletableFuture<Long> sizeAsync() {
    return operations().size();
  }

  @Override
  default CompletableFuture<Void> clearAsync() {
    return operations().clear();
  }

  @Override
  default CompletableFuture<V> removeAsync(Object key) {
    return operations().remove(key);
  }

  @Override
  default CompletableFuture<Boolean> removeAsync(Object key, Object value) {
    return operations().remove(key, value);
  }

  @Override
  default CompletableFuture<V> putAsync(K key, V value) {
    return operations().put(key, value, Duration.ZERO);
  }

  @Override
  default CompletableFuture<V> putAsync(K key, V value, long lifespan, TimeUnit unit) {
    return operations().put(key, value, Lifespans.of(lifespan, unit));
  }

  @Override
  default CompletableFuture<V> putAsync(
      K key, V value, long lifespan, TimeUnit unit, long maxIdle, TimeUnit maxIdleUnit) {
    return operations().put(key, value, Lifespans.of(lifespan, unit, maxIdle, maxIdleUnit));
  }

  @Override
  default CompletableFuture<Void> putAllAsync(Map<? extends K, ? extends V> entries) {
    return operations().putAll(entries, Duration.ZERO);
  }

  @Override
  default CompletableFuture<Void> putAllAsync(
      Map<? extends K, ? extends V> entries, long lifespan, TimeUnit unit) {
    return operations().putAll(entries, Lifespans.of(lifespan, unit));
  }

  @Override
  default CompletableFuture<Void> putAllAsync(
      Map<? extends K, ? extends V> entries,
      long lifespan,
      TimeUnit unit,
      long maxIdle,
      TimeUnit maxIdleUnit) {
    return operations().putAll(entries, Lifespans.of(lifespan, unit, maxIdle, maxIdleUnit));
  }

  @Override
  default CompletableFuture<V> putIfAbsentAsync(K key, V value) {
    return operations().putIfAbsent(key, value, Duration.ZERO);
  }

  @Override
  default CompletableFuture<V> putIfAbsentAsync(K key, V value, long lifespan, TimeUnit unit) {
    return operations().putIfAbsent(key, value, Lifespans.of(lifespan, unit));
  }

  @Override
  default CompletableFuture<V> putIfAbsentAsync(
      K key, V value, long lifespan, TimeUnit unit, long maxIdle, TimeUnit maxIdleUnit) {
    return operations().putIfAbsent(key, value, Lifespans.of(lifespan, unit, maxIdle, maxIdleUnit));
  }

  @Override
  default CompletableFuture<V> replaceAsync(K key, V value) {
    return operations().replace(key, value, Duration.ZERO);
  }

  @Override
  default CompletableFuture<V> replaceAsync(K key, V value, long lifespan, TimeUnit unit) {
    return operations().replace(key, value, Lifespans.of(lifespan, unit));
  }

  @Override
  default CompletableFuture<V> replaceAsync(
      K key, V value, long lifespan, TimeUnit unit, long maxIdle, TimeUnit maxIdleUnit) {
    return operations().replace(key, value, Lifespans.of(lifespan, unit, maxIdle, maxIdleUnit));
  }

  @Override
  default CompletableFuture<Boolean> replaceAsync(K key, V expected, V value) {
    return operations().replace(key, expected, value, Duration.ZERO);
  }

  @Override
  default CompletableFuture<Boolean> replaceAsync(
      K key, V expected, V value, long lifespan, TimeUnit unit) {
    return operations().replace(key, expected, value, Lifespans.of(lifespan, unit));
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
    return operations()
        .replace(key, expected, value, Lifespans.of(lifespan, unit, maxIdle, maxIdleUnit));
  }

  @Override
  default CompletableFuture<V> computeAsync(
      K key, BiFunction<? super K, ? super V, ? extends V> function) {
    return operations().compute(key, function, Duration.ZERO);
  }

  @Override
  default CompletableFuture<V> computeAsync(
      K key, BiFunction<? super K, ? super V, ? extends V> function, long lifespan, TimeUnit unit) {
    return operations().compute(key, function, Lifespans.of(lifespan, unit));
  }

  @Override
  default CompletableFuture<V> computeAsync(
      K key,
      BiFunction<? super K, ? super V, ? extends V> function,
      long lifespan,
      TimeUnit unit,
      long maxIdle,
      TimeUnit maxIdleUnit) {
    return operations().compute(key, function, Lifespans.of(lifespan, unit, maxIdle, maxIdleUnit));
  }

  @Override
  default CompletableFuture<V> computeIfPresentAsync(
      K key, BiFunction<? super K, ? super V, ? extends V> function) {
    return operations().computeIfPresent(key, function, Duration.ZERO);
  }

  @Override
  default CompletableFuture<V> computeIfPresentAsync(
      K key, BiFunction<? super K, ? super V, ? extends V> function, long lifespan, TimeUnit unit) {
    return operations().computeIfPresent(key, function, Lifespans.of(lifespan, unit));
  }

  @Override
  default CompletableFuture<V> computeIfPresentAsync(
      K key,
      BiFunction<? super K, ? super V, ? extends V> function,
      long lifespan,
      TimeUnit unit,
      long maxIdle,
      TimeUnit maxIdleUnit) {
    return operations()
        .computeIfPresent(key, function, Lifespans.of(lifespan, unit, maxIdle, maxIdleUnit));
  }

  @Override
  default CompletableFuture<V> computeIfAbsentAsync(
      K key, Function<? super K, ? extends V> function) {
    return operations().computeIfAbsent(key, function, Duration.ZERO);
  }

  @Override
  default CompletableFuture<V> computeIfAbsentAsync(
      K key, Function<? super K, ? extends V> function, long lifespan, TimeUnit unit) {
    return operations().computeIfAbsent(key, function, Lifespans.of(lifespan, unit));
  }

  @Override
  default CompletableFuture<V> computeIfAbsentAsync(
      K key,
      Function<? super K, ? extends V> function,
      long lifespan,
      TimeUnit unit,
      long maxIdle,
      TimeUnit maxIdleUnit) {
    return operations()
        .computeIfAbsent(key, function, Lifespans.of(lifespan, unit, maxIdle, maxIdleUnit));
  }

  @Override
  default CompletableFuture<V> mergeAsync(
      K key, V value, BiFunction<? super V, ? super V, ? extends V> function) {
    return operations().merge(key, value, function, Duration.ZERO);
  }

  @Override
  default CompletableFuture<V> mergeAsync(
      K key,
      V value,
      BiFunction<? super V, ? super V, ? extends V> function,
      long lifespan,
      TimeUnit unit) {
    return operations().merge(key, value, function, Lifespans.of(lifespan, unit));
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
    return operations()
        .merge(key, value, function, Lifespans.of(lifespan, unit, maxIdle, maxIdleUnit));
  }
}
