package io.ensemble.cache.adapter;

import io.ensemble.EnsembleCache;
import io.ensemble.EntryUpdate;
import io.ensemble.adapter.BlockingMapAdapter;
import io.ensemble.adapter.MapOperations;
import io.ensemble.cache.BlockingCall;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.infinispan.commons.util.CloseableIteratorCollection;
import org.infinispan.commons.util.CloseableIteratorSet;
import org.jspecify.annotations.Nullable;

/** The blocking methods of an Ensemble cache. */
interface BlockingCacheAdapter<K, V> extends EnsembleCache<K, V>, BlockingMapAdapter<K, V> {

  /** The operations, with superseded writes reported as applied. */
  AsyncCacheAdapter<K, V> face();

  @Override
  default MapOperations<K, V> operations() {
    return new ThrowingOperations<>(face());
  }

  @Override
  default <R extends @Nullable Object> R awaited(Supplier<? extends CompletionStage<R>> call) {
    CallRunner calls = face().calls();
    return BlockingCall.result(call, calls.longest(), calls.session().scheduler());
  }

  @Override
  default Map<K, V> getAll(Set<? extends K> keys) {
    return awaited(() -> face().getAll(keys));
  }

  @Override
  default <R> @Nullable R update(K key, Function<@Nullable V, EntryUpdate<V, R>> function) {
    return awaited(
        () -> OutcomeConverter.valueOf(face().cells().cache(), face().update(key, function)));
  }

  @Override
  default CompletableFuture<@Nullable V> compareAndExchangeAsync(K key, V expected, V value) {
    return OutcomeConverter.valueOf(
        face().cells().cache(), face().compareAndExchange(key, expected, value));
  }

  @Override
  CloseableIteratorSet<K> keySet();

  @Override
  CloseableIteratorCollection<V> values();

  @Override
  CloseableIteratorSet<Map.Entry<K, V>> entrySet();
}
