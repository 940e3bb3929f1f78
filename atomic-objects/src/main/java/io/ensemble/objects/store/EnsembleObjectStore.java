package io.ensemble.objects.store;

import io.ensemble.adapter.CompareAndExchange;
import io.ensemble.adapter.CompareAndSetSupport;
import java.util.Iterator;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.infinispan.commons.api.BasicCache;
import org.infinispan.commons.util.CloseableIterator;
import org.infinispan.commons.util.FilterIterator;
import org.jspecify.annotations.Nullable;

/**
 * A store on a cache whose single operations are linearizable and whose {@code replace} compares
 * values: an Ensemble cache in mode MWMR. It has no events: waiting callers poll. A read costs a
 * read of that cache, and a step costs its {@code replace}.
 */
public final class EnsembleObjectStore implements ObjectStore {

  private final BasicCache<String, byte[]> cache;
  private final @Nullable CompareAndExchange<String, byte[]> exchange;

  /**
   * Makes a store on {@code cache}, which should be used for nothing else. The cache is not closed
   * with the objects. It must stay in mode MWMR: changes of the mode while the store is used are
   * not checked.
   *
   * @throws IllegalArgumentException if the cache reports that it does not suit, because of its
   *     mode or because it is in frontier mode; the message names the remedy
   */
  @SuppressWarnings("unchecked") // a cache has the same types of keys and values as its operation
  public EnsembleObjectStore(BasicCache<String, byte[]> cache) {
    if (cache instanceof CompareAndSetSupport support) {
      support
          .compareAndSetObstacle()
          .ifPresent(
              obstacle -> {
                throw new IllegalArgumentException(
                    "atomic objects and versions need a linearizable compare-and-set; %s; cache=%s"
                        .formatted(obstacle, cache.getName()));
              });
    }
    this.cache = cache;
    this.exchange =
        cache instanceof CompareAndExchange<?, ?> operation
            ? (CompareAndExchange<String, byte[]>) operation
            : null;
  }

  @Override
  public CompletionStage<Optional<Entry>> read(String key) {
    return NonThrowingStage.of(() -> cache.getAsync(key))
        .thenApply(value -> Optional.ofNullable(value).map(v -> new Entry(v, v)));
  }

  @Override
  public CompletionStage<Void> create(String key, byte[] value) {
    return NonThrowingStage.of(() -> cache.putIfAbsentAsync(key, value)).thenAccept(previous -> {});
  }

  @Override
  public CompletionStage<Replaced> replace(String key, Object token, byte[] value) {
    byte[] expected = (byte[]) token;
    CompareAndExchange<String, byte[]> operation = exchange;
    if (operation == null) {
      return NonThrowingStage.of(() -> cache.replaceAsync(key, expected, value))
          .thenApply(done -> new Replaced(done, Optional.of(value)));
    }
    return NonThrowingStage.of(() -> operation.compareAndExchangeAsync(key, expected, value))
        .thenApply(
            found ->
                found == expected
                    ? new Replaced(true, Optional.of(value))
                    : new Replaced(
                        false,
                        Optional.empty(),
                        Optional.ofNullable(found).map(other -> new Entry(other, other))));
  }

  @Override
  public CompletionStage<Void> put(String key, byte[] value) {
    return NonThrowingStage.of(() -> cache.putAsync(key, value)).thenAccept(previous -> {});
  }

  @Override
  public CompletionStage<Void> remove(String key) {
    return NonThrowingStage.of(() -> cache.removeAsync(key)).thenAccept(previous -> {});
  }

  /** Leaves out keys that are not strings, which belong to other users of the cache. */
  @Override
  @SuppressWarnings("unchecked") // only strings pass the filter
  public CloseableIterator<String> keys(String prefix) {
    Iterator<?> keys = cache.keySet().iterator();
    return (CloseableIterator<String>)
        new FilterIterator<>(keys, key -> key instanceof String text && text.startsWith(prefix));
  }

  @Override
  public Optional<AutoCloseable> watch(Consumer<Change> listener) {
    return Optional.empty();
  }
}
