package io.ensemble.cache.adapter;

import io.ensemble.AsyncEnsembleCache;
import io.ensemble.EntryUpdate;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.BoundedConcurrency;
import io.ensemble.cache.Payload;
import io.ensemble.cache.adapter.CacheExtension.CallLayer;
import io.ensemble.cache.encryption.EncryptingEngine;
import io.ensemble.register.Update;
import io.ensemble.site.Bytes;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * All operations of a cache, implemented by its engine's read, write, update and scan.
 *
 * @param returnValues whether put and remove return the previous value
 * @param plain whether a superseded write is reported as applied, for APIs without such an outcome
 */
record AsyncCacheAdapter<K, V>(
    CallRunner calls, EntryCodec<K, V> cells, boolean returnValues, boolean plain)
    implements AsyncEnsembleCache<K, V> {

  @Override
  public CompletableFuture<Optional<V>> get(Object key) {
    Bytes encoded = cells.key(key);
    return calls.read(
        "get", calls.forKeys().read(encoded, calls.deadline()), found -> found.map(cells::read));
  }

  @Override
  public CompletableFuture<Boolean> containsKey(Object key) {
    Bytes encoded = cells.key(key);
    return calls.read(
        "contains", calls.forKeys().read(encoded, calls.deadline()), Optional::isPresent);
  }

  @Override
  public CompletableFuture<Map<K, V>> getAll(Set<?> keys) {
    Map<Object, Bytes> encoded = new LinkedHashMap<>();
    keys.forEach(key -> encoded.put(key, cells.key(key)));
    Map<K, V> found = new ConcurrentHashMap<>();
    var engine = calls.forKeys();
    var deadline = calls.deadline();
    CompletionStage<Void> all =
        BoundedConcurrency.forEach(
            encoded.entrySet(),
            key ->
                engine
                    .read(key.getValue(), deadline)
                    .thenAccept(
                        payload ->
                            payload.ifPresent(p -> found.put(asKey(key.getKey()), cells.read(p)))));
    return calls.read("get_all", all, nothing -> found);
  }

  @SuppressWarnings("unchecked") // A key with a value is of type K: a put wrote the value.
  private K asKey(Object key) {
    return (K) key;
  }

  @Override
  public CompletableFuture<WriteOutcome<V>> put(K key, V value, Duration lifespan) {
    if (returnValues) {
      return update("put", key, updates().put(key, value, lifespan));
    }
    Bytes encoded = cells.key(key);
    Payload payload = cells.payload(key, value, lifespan);
    return blind("put", calls.forKeys().write(encoded, payload, calls.deadline()));
  }

  @Override
  public CompletableFuture<Void> putAll(Map<? extends K, ? extends V> entries, Duration lifespan) {
    Map<Bytes, Payload> encoded = new LinkedHashMap<>();
    entries.forEach(
        (key, value) -> encoded.put(cells.key(key), cells.payload(key, value, lifespan)));
    var engine = calls.forKeys();
    var deadline = calls.deadline();
    CompletionStage<Void> all =
        BoundedConcurrency.forEach(
            encoded.entrySet(),
            entry ->
                engine.write(entry.getKey(), entry.getValue(), deadline).thenAccept(this::require));
    return calls.read("put_all", all, nothing -> nothing);
  }

  @Override
  public CompletableFuture<WriteOutcome<V>> remove(Object key) {
    if (returnValues) {
      return update("remove", key, updates().remove());
    }
    return removeEncoded(cells.key(key));
  }

  /** Removes an encoded key unconditionally. */
  CompletableFuture<WriteOutcome<V>> removeEncoded(Bytes key) {
    return blind("remove", calls.forKeys().write(key, null, calls.deadline()));
  }

  /** Removes the key, and returns whether the key was present. */
  CompletableFuture<WriteOutcome<Boolean>> removePresent(Object key) {
    return update("remove", key, updates().removePresent());
  }

  @Override
  public CompletableFuture<WriteOutcome<V>> putIfAbsent(K key, V value, Duration lifespan) {
    return update("put_if_absent", key, updates().putIfAbsent(key, value, lifespan));
  }

  @Override
  public CompletableFuture<WriteOutcome<V>> replace(K key, V value, Duration lifespan) {
    return update("replace", key, updates().replace(key, value, lifespan));
  }

  @Override
  public CompletableFuture<WriteOutcome<Boolean>> replace(
      K key, V expected, V value, Duration lifespan) {
    return update("replace_if", key, updates().replace(key, expected, value, lifespan));
  }

  CompletableFuture<WriteOutcome<V>> compareAndExchange(K key, V expected, V value) {
    return update("replace_if", key, updates().compareAndExchange(key, expected, value));
  }

  @Override
  public CompletableFuture<WriteOutcome<Boolean>> remove(Object key, Object expected) {
    return update("remove_if", key, updates().remove(key, expected));
  }

  @Override
  public CompletableFuture<WriteOutcome<V>> compute(
      K key, BiFunction<? super K, ? super V, ? extends V> function, Duration lifespan) {
    return update("compute", key, updates().compute(key, function, lifespan));
  }

  @Override
  public CompletableFuture<WriteOutcome<V>> computeIfPresent(
      K key, BiFunction<? super K, ? super V, ? extends V> function, Duration lifespan) {
    return update("compute_if_present", key, updates().computeIfPresent(key, function, lifespan));
  }

  @Override
  public CompletableFuture<WriteOutcome<V>> computeIfAbsent(
      K key, Function<? super K, ? extends V> function, Duration lifespan) {
    return update("compute_if_absent", key, updates().computeIfAbsent(key, function, lifespan));
  }

  @Override
  public CompletableFuture<WriteOutcome<V>> merge(
      K key, V value, BiFunction<? super V, ? super V, ? extends V> function, Duration lifespan) {
    return update("merge", key, updates().merge(key, value, function, lifespan));
  }

  @Override
  public <R> CompletableFuture<WriteOutcome<R>> update(
      K key, Function<@Nullable V, EntryUpdate<V, R>> function) {
    return update("update", key, updates().update(key, function));
  }

  @Override
  public CompletableFuture<Long> size() {
    AtomicLong count = new AtomicLong();
    CompletionStage<Void> walk =
        CacheWalk.over(
            EncryptingEngine.unread(calls.engine()).scan(CacheWalk.BATCH),
            calls.deadline(),
            batch -> {
              count.addAndGet(batch.size());
              return CompletableFuture.completedFuture(true);
            });
    return calls.read("size", walk, nothing -> count.get());
  }

  @Override
  public CompletableFuture<Void> clear() {
    CallLayer layer = calls.session().layer();
    layer.clearing();
    var engine = EncryptingEngine.unread(calls.engine());
    var deadline = calls.deadline();
    CompletionStage<Void> walk =
        CacheWalk.over(
            engine.scan(CacheWalk.BATCH),
            deadline,
            batch ->
                BoundedConcurrency.forEach(
                        batch,
                        entry ->
                            engine.write(entry.key(), null, deadline).thenAccept(this::require))
                    .thenApply(nothing -> true));
    return calls.read(
        "clear", walk.whenComplete((done, failure) -> layer.clearing()), nothing -> nothing);
  }

  /** Whether some key has {@code value}; ends the scan at the first such key. */
  CompletableFuture<Boolean> containsValue(Object value) {
    Bytes bytes = cells.value("any", value);
    AtomicBoolean found = new AtomicBoolean();
    CompletionStage<Void> walk =
        CacheWalk.over(
            calls.engine().scan(CacheWalk.BATCH),
            calls.deadline(),
            batch -> {
              found.set(batch.stream().anyMatch(entry -> cells.same(entry.value(), value, bytes)));
              return CompletableFuture.completedFuture(!found.get());
            });
    return calls.read("contains_value", walk, nothing -> found.get());
  }

  private MapUpdates<K, V> updates() {
    return new MapUpdates<>(cells);
  }

  private void require(WriteOutcome<?> outcome) {
    OutcomeConverter.valueOf(calls.session().definition().name(), outcome);
  }

  @SuppressWarnings("unchecked") // A blind write's result is null.
  private CompletableFuture<WriteOutcome<V>> blind(
      String operation, CompletionStage<WriteOutcome<Void>> stage) {
    return calls.write(
        operation,
        stage.thenApply(outcome -> plainly((WriteOutcome<V>) (WriteOutcome<?>) outcome, null)));
  }

  /**
   * A superseded write took effect and was overwritten; an API without that outcome reports it as
   * applied.
   */
  private <R> WriteOutcome<R> plainly(WriteOutcome<R> outcome, @Nullable R result) {
    return plain && outcome instanceof WriteOutcome.Superseded<R> superseded
        ? new WriteOutcome.Applied<>(result, superseded.by(), true)
        : outcome;
  }

  private <R> CompletableFuture<WriteOutcome<R>> update(
      String operation, Object key, Update<Payload, R> update) {
    Bytes encoded = cells.key(key);
    AtomicReference<FunctionResult<R>> last = new AtomicReference<>();
    Update<Payload, FunctionResult<R>> users =
        found -> {
          Update.Decision<Payload, FunctionResult<R>> decision =
              FunctionResult.of(
                  () -> calls.session().scheduler().aside(() -> update.decide(found)));
          last.set(decision.result());
          return decision;
        };
    return calls.write(
        operation,
        calls
            .forKeys()
            .update(encoded, users.withHintOf(update), calls.deadline())
            .thenCompose(outcome -> FunctionResult.told(plainly(outcome, last.get()))));
  }
}
