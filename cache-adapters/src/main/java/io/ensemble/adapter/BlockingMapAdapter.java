package io.ensemble.adapter;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.infinispan.commons.api.BasicCache;
import org.infinispan.commons.util.CloseableIterator;
import org.infinispan.commons.util.CloseableIteratorCollection;
import org.infinispan.commons.util.CloseableIteratorSet;
import org.jspecify.annotations.Nullable;

/**
 * The methods of Infinispan's caches, each waiting for its asynchronous counterpart; not those that
 * walk over the cache.
 */
public interface BlockingMapAdapter<K, V> extends BasicCache<K, V>, AsyncMapAdapter<K, V> {

  /** Waits for what {@code call} begins, which it does not on a thread where waiting is refused. */
  <R extends @Nullable Object> R awaited(Supplier<? extends CompletionStage<R>> call);

  /** A walk that is fetched as it goes on, and writes through. */
  @Override
  CloseableIteratorSet<K> keySet();

  @Override
  CloseableIteratorCollection<V> values();

  @Override
  CloseableIteratorSet<Map.Entry<K, V>> entrySet();

  @Override
  default @Nullable V get(Object key) {
    return awaited(() -> operations().get(key)).orElse(null);
  }

  @Override
  default V getOrDefault(Object key, V otherwise) {
    return awaited(() -> operations().get(key)).orElse(otherwise);
  }

  @Override
  default boolean containsKey(Object key) {
    return awaited(() -> operations().containsKey(key));
  }

  @Override
  default boolean containsValue(Object value) {
    return awaited(() -> operations().containsValue(value));
  }

  /** At most {@link Integer#MAX_VALUE}, as {@link Map#size()} says. */
  @Override
  default int size() {
    return (int) Math.min(Integer.MAX_VALUE, awaited(() -> operations().size()));
  }

  @Override
  default boolean isEmpty() {
    try (CloseableIterator<K> keys = keySet().iterator()) {
      return !keys.hasNext();
    }
  }

  @Override
  default void clear() {
    awaited(() -> operations().clear());
  }

  @Override
  default @Nullable V remove(Object key) {
    return awaited(() -> removeAsync(key));
  }

  @Override
  default boolean remove(Object key, Object value) {
    return awaited(() -> removeAsync(key, value));
  }

  /** Whether the key was there and has been removed; for the views. */
  default boolean removePresent(Object key) {
    return Boolean.TRUE.equals(awaited(() -> operations().removePresent(key)));
  }

  @Override
  default @Nullable V put(K key, V value) {
    return awaited(() -> putAsync(key, value));
  }

  @Override
  default @Nullable V put(K key, V value, long lifespan, TimeUnit unit) {
    return awaited(() -> putAsync(key, value, lifespan, unit));
  }

  @Override
  default @Nullable V put(
      K key, V value, long lifespan, TimeUnit unit, long maxIdle, TimeUnit maxIdleUnit) {
    return awaited(() -> putAsync(key, value, lifespan, unit, maxIdle, maxIdleUnit));
  }

  @Override
  default void putAll(Map<? extends K, ? extends V> entries) {
    awaited(() -> putAllAsync(entries));
  }

  @Override
  default void putAll(Map<? extends K, ? extends V> entries, long lifespan, TimeUnit unit) {
    awaited(() -> putAllAsync(entries, lifespan, unit));
  }

  @Override
  default void putAll(
      Map<? extends K, ? extends V> entries,
      long lifespan,
      TimeUnit unit,
      long maxIdle,
      TimeUnit maxIdleUnit) {
    awaited(() -> putAllAsync(entries, lifespan, unit, maxIdle, maxIdleUnit));
  }

  @Override
  default @Nullable V putIfAbsent(K key, V value) {
    return awaited(() -> putIfAbsentAsync(key, value));
  }

  @Override
  default @Nullable V putIfAbsent(K key, V value, long lifespan, TimeUnit unit) {
    return awaited(() -> putIfAbsentAsync(key, value, lifespan, unit));
  }

  @Override
  default @Nullable V putIfAbsent(
      K key, V value, long lifespan, TimeUnit unit, long maxIdle, TimeUnit maxIdleUnit) {
    return awaited(() -> putIfAbsentAsync(key, value, lifespan, unit, maxIdle, maxIdleUnit));
  }

  @Override
  default @Nullable V replace(K key, V value) {
    return awaited(() -> replaceAsync(key, value));
  }

  @Override
  default @Nullable V replace(K key, V value, long lifespan, TimeUnit unit) {
    return awaited(() -> replaceAsync(key, value, lifespan, unit));
  }

  @Override
  default @Nullable V replace(
      K key, V value, long lifespan, TimeUnit unit, long maxIdle, TimeUnit maxIdleUnit) {
    return awaited(() -> replaceAsync(key, value, lifespan, unit, maxIdle, maxIdleUnit));
  }

  @Override
  default boolean replace(K key, V expected, V value) {
    return awaited(() -> replaceAsync(key, expected, value));
  }

  @Override
  default boolean replace(K key, V expected, V value, long lifespan, TimeUnit unit) {
    return awaited(() -> replaceAsync(key, expected, value, lifespan, unit));
  }

  @Override
  default boolean replace(
      K key,
      V expected,
      V value,
      long lifespan,
      TimeUnit unit,
      long maxIdle,
      TimeUnit maxIdleUnit) {
    return awaited(() -> replaceAsync(key, expected, value, lifespan, unit, maxIdle, maxIdleUnit));
  }

  @Override
  default @Nullable V compute(K key, BiFunction<? super K, ? super V, ? extends V> function) {
    return awaited(() -> computeAsync(key, function));
  }

  @Override
  default @Nullable V compute(
      K key, BiFunction<? super K, ? super V, ? extends V> function, long lifespan, TimeUnit unit) {
    return awaited(() -> computeAsync(key, function, lifespan, unit));
  }

  @Override
  default @Nullable V compute(
      K key,
      BiFunction<? super K, ? super V, ? extends V> function,
      long lifespan,
      TimeUnit unit,
      long maxIdle,
      TimeUnit maxIdleUnit) {
    return awaited(() -> computeAsync(key, function, lifespan, unit, maxIdle, maxIdleUnit));
  }

  @Override
  default @Nullable V computeIfPresent(
      K key, BiFunction<? super K, ? super V, ? extends V> function) {
    return awaited(() -> computeIfPresentAsync(key, function));
  }

  @Override
  default @Nullable V computeIfPresent(
      K key, BiFunction<? super K, ? super V, ? extends V> function, long lifespan, TimeUnit unit) {
    return awaited(() -> computeIfPresentAsync(key, function, lifespan, unit));
  }

  @Override
  default @Nullable V computeIfPresent(
      K key,
      BiFunction<? super K, ? super V, ? extends V> function,
      long lifespan,
      TimeUnit unit,
      long maxIdle,
      TimeUnit maxIdleUnit) {
    return awaited(
        () -> computeIfPresentAsync(key, function, lifespan, unit, maxIdle, maxIdleUnit));
  }

  @Override
  default @Nullable V computeIfAbsent(K key, Function<? super K, ? extends V> function) {
    return awaited(() -> computeIfAbsentAsync(key, function));
  }

  @Override
  default @Nullable V computeIfAbsent(
      K key, Function<? super K, ? extends V> function, long lifespan, TimeUnit unit) {
    return awaited(() -> computeIfAbsentAsync(key, function, lifespan, unit));
  }

  @Override
  default @Nullable V computeIfAbsent(
      K key,
      Function<? super K, ? extends V> function,
      long lifespan,
      TimeUnit unit,
      long maxIdle,
      TimeUnit maxIdleUnit) {
    return awaited(() -> computeIfAbsentAsync(key, function, lifespan, unit, maxIdle, maxIdleUnit));
  }

  @Override
  default @Nullable V merge(
      K key, V value, BiFunction<? super V, ? super V, ? extends V> function) {
    return awaited(() -> mergeAsync(key, value, function));
  }

  @Override
  default @Nullable V merge(
      K key,
      V value,
      BiFunction<? super V, ? super V, ? extends V> function,
      long lifespan,
      TimeUnit unit) {
    return awaited(() -> mergeAsync(key, value, function, lifespan, unit));
  }

  @Override
  default @Nullable V merge(
      K key,
      V value,
      BiFunction<? super V, ? super V, ? extends V> function,
      long lifespan,
      TimeUnit unit,
      long maxIdle,
      TimeUnit maxIdleUnit) {
    return awaited(() -> mergeAsync(key, value, function, lifespan, unit, maxIdle, maxIdleUnit));
  }

  /** Each entry for itself; {@code function} may be called several times for one. */
  @Override
  default void replaceAll(BiFunction<? super K, ? super V, ? extends V> function) {
    Objects.requireNonNull(function, "function");
    forEach(
        (key, value) ->
            computeIfPresent(
                key,
                (same, present) ->
                    Objects.requireNonNull(function.apply(same, present), "function's result")));
  }

  @Override
  default void forEach(BiConsumer<? super K, ? super V> action) {
    Objects.requireNonNull(action, "action");
    try (CloseableIterator<Map.Entry<K, V>> entries = entrySet().iterator()) {
      entries.forEachRemaining(entry -> action.accept(entry.getKey(), entry.getValue()));
    }
  }
}
