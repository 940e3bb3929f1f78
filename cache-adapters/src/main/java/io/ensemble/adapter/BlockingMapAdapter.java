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
 * Implements the methods of Infinispan's blocking cache API. Each method waits for its asynchronous
 * counterpart. The methods that iterate over the cache are left to the implementation.
 */
public interface BlockingMapAdapter<K, V> extends BasicCache<K, V>, AsyncMapAdapter<K, V> {

  /**
   * Starts {@code call} and waits for its result. On a thread where waiting is refused, {@code
   * call} is not started.
   */
  <R extends @Nullable Object> R awaited(Supplier<? extends CompletionStage<R>> call);

  /**
   * A live view of the keys. Its iterator fetches keys as the iteration proceeds, and changes of
   * the view write through.
   */
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

  /**
   * Returns the size, or {@link Integer#MAX_VALUE} if it is larger, as {@link Map#size()}
   * specifies.
   */
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

  /** Removes the key for the views, and returns whether the key was present. */
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

  /**
   * Replaces each entry by itself, not all atomically. {@code function} may be called several times
   * for one entry.
   */
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
