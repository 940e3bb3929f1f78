package io.ensemble.versioning;

import io.ensemble.adapter.MapOperations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The latest values as a map: each put or removal adds a version. */
final class LatestOperations<K, V> implements MapOperations<K, V> {

  private final AsyncVersionedCache<K, V, ?> cache;
  private final boolean returnValues;

  LatestOperations(AsyncVersionedCache<K, V, ?> cache, boolean returnValues) {
    this.cache = cache;
    this.returnValues = returnValues;
  }

  @SuppressWarnings("unchecked") // As in any map: a key of another class was never put.
  private K key(Object key) {
    return (K) Objects.requireNonNull(key, "a key");
  }

  @SuppressWarnings("unchecked")
  private V value(Object value) {
    return (V) Objects.requireNonNull(value, "a value");
  }

  @Override
  public CompletableFuture<Optional<V>> get(Object key) {
    return cache.latestValue(key(key)).toCompletableFuture();
  }

  @Override
  public CompletableFuture<Boolean> containsKey(Object key) {
    return get(key).thenApply(Optional::isPresent);
  }

  @Override
  public CompletableFuture<Boolean> containsValue(Object value) {
    V wanted = value(value);
    return onOwnThread(
        () -> {
          try (ReadAheadIterator<K, Map.Entry<K, V>> readAheadIterator = cache.walk()) {
            while (readAheadIterator.hasNext()) {
              if (isSame(readAheadIterator.next().getValue(), wanted)) {
                return true;
              }
            }
            return false;
          }
        });
  }

  @Override
  public CompletableFuture<Map<K, V>> getAll(Set<?> keys) {
    Map<K, V> found = new ConcurrentHashMap<>();
    return all(
            List.copyOf(keys),
            k -> get(k).thenAccept(value -> value.ifPresent(v -> found.put(key(k), v))))
        .thenApply(done -> found);
  }

  @Override
  public CompletableFuture<Long> size() {
    return onOwnThread(
        () -> {
          long size = 0;
          try (ReadAheadIterator<K, Map.Entry<K, V>> readAheadIterator = cache.walk()) {
            while (readAheadIterator.hasNext()) {
              readAheadIterator.next();
              size++;
            }
          }
          return size;
        });
  }

  @Override
  public CompletableFuture<Void> clear() {
    return onOwnThread(
            () -> {
              List<K> met = new ArrayList<>();
              try (ReadAheadIterator<K, Map.Entry<K, V>> readAheadIterator = cache.walk()) {
                readAheadIterator.forEachRemaining(entry -> met.add(entry.getKey()));
              }
              return met;
            })
        .thenCompose(met -> all(met, this::removePresent));
  }

  /** Some elements at a time. */
  private static <E> CompletableFuture<Void> all(
      List<E> elements, Function<E, ? extends CompletionStage<?>> each) {
    int end = Math.min(ReadAheadIterator.AHEAD, elements.size());
    CompletableFuture<Void> some =
        CompletableFuture.allOf(
            elements.subList(0, end).stream()
                .map(e -> each.apply(e).toCompletableFuture())
                .toArray(CompletableFuture[]::new));
    return end == elements.size()
        ? some
        : some.thenCompose(done -> all(elements.subList(end, elements.size()), each));
  }

  /** An iteration blocks, so it has a thread of its own. */
  private static <R> CompletableFuture<R> onOwnThread(Supplier<R> iteration) {
    return CompletableFuture.supplyAsync(
        iteration,
        task -> {
          Thread thread = new Thread(task, "ensemble-versions-walk");
          thread.setDaemon(true);
          thread.start();
        });
  }

  @Override
  public CompletableFuture<@Nullable V> put(K key, V value, Duration lifespan) {
    checkNoLifespan(lifespan);
    Objects.requireNonNull(value, "a value");
    return returnValues
        ? changed(key, found -> UpdateDecision.write(value, found))
        : cache.add(key, value).<@Nullable V>thenApply(version -> null).toCompletableFuture();
  }

  @Override
  public CompletableFuture<Void> putAll(Map<? extends K, ? extends V> entries, Duration lifespan) {
    checkNoLifespan(lifespan);
    return all(List.copyOf(entries.entrySet()), e -> cache.add(e.getKey(), e.getValue()));
  }

  @Override
  public CompletableFuture<@Nullable V> remove(Object key) {
    return changed(
        key(key),
        found -> found == null ? UpdateDecision.keep(null) : UpdateDecision.write(null, found));
  }

  @Override
  public CompletableFuture<Boolean> remove(Object key, Object expected) {
    V wanted = value(expected);
    return changed(
        key(key),
        found ->
            found != null && isSame(found, wanted)
                ? UpdateDecision.write(null, true)
                : UpdateDecision.keep(false));
  }

  @Override
  public CompletableFuture<Boolean> removePresent(Object key) {
    return remove(key).thenApply(Objects::nonNull);
  }

  @Override
  public CompletableFuture<@Nullable V> putIfAbsent(K key, V value, Duration lifespan) {
    checkNoLifespan(lifespan);
    Objects.requireNonNull(value, "a value");
    return changed(
        key,
        found -> found == null ? UpdateDecision.write(value, null) : UpdateDecision.keep(found));
  }

  @Override
  public CompletableFuture<@Nullable V> replace(K key, V value, Duration lifespan) {
    checkNoLifespan(lifespan);
    Objects.requireNonNull(value, "a value");
    return changed(
        key,
        found -> found == null ? UpdateDecision.keep(null) : UpdateDecision.write(value, found));
  }

  @Override
  public CompletableFuture<Boolean> replace(K key, V expected, V value, Duration lifespan) {
    checkNoLifespan(lifespan);
    Objects.requireNonNull(expected, "an expected value");
    Objects.requireNonNull(value, "a value");
    return changed(
        key,
        found ->
            found != null && isSame(found, expected)
                ? UpdateDecision.write(value, true)
                : UpdateDecision.keep(false));
  }

  @Override
  public CompletableFuture<@Nullable V> compute(
      K key, BiFunction<? super K, ? super V, ? extends V> function, Duration lifespan) {
    checkNoLifespan(lifespan);
    Objects.requireNonNull(function, "a function");
    return changed(key, found -> become(found, function.apply(key, found)));
  }

  @Override
  public CompletableFuture<@Nullable V> computeIfPresent(
      K key, BiFunction<? super K, ? super V, ? extends V> function, Duration lifespan) {
    checkNoLifespan(lifespan);
    Objects.requireNonNull(function, "a function");
    return changed(
        key,
        found ->
            found == null ? UpdateDecision.keep(null) : become(found, function.apply(key, found)));
  }

  @Override
  public CompletableFuture<@Nullable V> computeIfAbsent(
      K key, Function<? super K, ? extends V> function, Duration lifespan) {
    checkNoLifespan(lifespan);
    Objects.requireNonNull(function, "a function");
    return changed(
        key,
        found -> found == null ? become(null, function.apply(key)) : UpdateDecision.keep(found));
  }

  @Override
  public CompletableFuture<@Nullable V> merge(
      K key, V value, BiFunction<? super V, ? super V, ? extends V> function, Duration lifespan) {
    checkNoLifespan(lifespan);
    Objects.requireNonNull(value, "a value");
    Objects.requireNonNull(function, "a function");
    return changed(
        key,
        found ->
            found == null
                ? UpdateDecision.write(value, value)
                : become(found, function.apply(found, value)));
  }

  /** Null removes a present value, and adds no version if there is no value. */
  private static <V> UpdateDecision<V, @Nullable V> become(@Nullable V found, @Nullable V value) {
    return value == null && found == null
        ? UpdateDecision.keep(null)
        : UpdateDecision.write(value, value);
  }

  private <R> CompletableFuture<R> changed(
      K key, Function<@Nullable V, UpdateDecision<V, R>> deciding) {
    return cache.changes().changed(key, deciding).toCompletableFuture();
  }

  private boolean isSame(V found, V expected) {
    return found.equals(expected) || Arrays.equals(cache.written(found), cache.written(expected));
  }

  private static void checkNoLifespan(Duration lifespan) {
    if (!lifespan.isZero()) {
      throw new UnsupportedOperationException(
          "versions have no lifespan of their own: use a retention");
    }
  }
}
