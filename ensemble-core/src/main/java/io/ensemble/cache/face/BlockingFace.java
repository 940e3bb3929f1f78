package io.ensemble.cache.face;

import io.ensemble.EnsembleCache;
import io.ensemble.cache.Blocking;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.infinispan.commons.util.CloseableIterator;
import org.jspecify.annotations.Nullable;

/** The blocking methods, each waiting for its asynchronous counterpart. */
interface BlockingFace<K, V> extends EnsembleCache<K, V>, FutureFace<K, V> {

  /** Waits for what {@code call} begins, which it does not on a thread where waiting is refused. */
  default <R extends @Nullable Object> R awaited(Supplier<? extends CompletionStage<R>> call) {
    Calls calls = face().calls();
    return Blocking.result(call, calls.longest(), calls.session().scheduler());
  }

  @Override
  default @Nullable V get(Object key) {
    return awaited(() -> face().get(key)).orElse(null);
  }

  @Override
  default V getOrDefault(Object key, V otherwise) {
    return awaited(() -> face().get(key)).orElse(otherwise);
  }

  @Override
  default boolean containsKey(Object key) {
    return awaited(() -> face().containsKey(key));
  }

  @Override
  default boolean containsValue(Object value) {
    return awaited(() -> face().containsValue(value));
  }

  @Override
  default Map<K, V> getAll(Set<? extends K> keys) {
    return awaited(() -> face().getAll(keys));
  }

  /** At most {@link Integer#MAX_VALUE}, as {@link Map#size()} says. */
  @Override
  default int size() {
    return (int) Math.min(Integer.MAX_VALUE, awaited(() -> face().size()));
  }

  @Override
  default boolean isEmpty() {
    try (CloseableIterator<K> keys = keySet().iterator()) {
      return !keys.hasNext();
    }
  }

  @Override
  default void clear() {
    awaited(() -> face().clear());
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
    return Boolean.TRUE.equals(awaited(() -> plain(face().removePresent(key))));
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
