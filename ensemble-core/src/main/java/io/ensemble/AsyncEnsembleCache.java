package io.ensemble;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A cache whose operations return immediately and whose writes report their end by type: see {@link
 * WriteOutcome}.
 *
 * <p>Each call has one deadline, that of the view, and ends by it. A failed read fails its stage
 * with {@link QuorumUnavailableException}; a retry is safe. A write that could not be done ends as
 * {@link WriteOutcome.Refused} or {@link WriteOutcome.Unknown}. While another process is the writer
 * of an SWMR cache, a write fails its stage with {@link WriterPresentException}; a retry is safe.
 *
 * <p>Mistakes of the caller are thrown immediately. {@link NullPointerException}: null key or
 * value. {@link IllegalArgumentException}: a type without a schema, or a value over the cache's
 * limit. {@link IllegalStateException}: the cache is stopped. Stages complete on Ensemble's
 * scheduler: do not block in a dependent stage.
 *
 * <p>A function receives the present value and returns the new one. Ensemble may call it several
 * times, of which one call counts. Functions run on Ensemble's scheduler, or on a thread that waits
 * inside a blocking call. Keep them short and free of side effects. An exception of the function
 * fails the stage, and nothing is written.
 *
 * <p>A lifespan that is not positive means that the entry does not expire. Guarantees and round
 * trips of single-key operations are those of the cache's {@link Mode}. Thread-safe.
 *
 * @param <K> the keys' type
 * @param <V> the values' type
 */
public interface AsyncEnsembleCache<K, V> {

  /** Returns the live value, or empty if there is none. One read. */
  CompletionStage<Optional<V>> get(Object key);

  /** Returns whether there is a live value. One read. */
  CompletionStage<Boolean> containsKey(Object key);

  /**
   * Returns the live values of {@code keys}; a key without one is left out. One read for each key;
   * not atomic.
   */
  CompletionStage<Map<K, V>> getAll(Set<?> keys);

  /**
   * Writes {@code value}. One put, and null as result; with return values, a conditional operation
   * and the previous value.
   */
  CompletionStage<WriteOutcome<V>> put(K key, V value, Duration lifespan);

  /** Writes {@code value} without expiry; as {@link #put(Object, Object, Duration)}. */
  default CompletionStage<WriteOutcome<V>> put(K key, V value) {
    return put(key, value, Duration.ZERO);
  }

  /**
   * Puts all entries, several concurrently. Fails when the first put fails; by then some entries
   * may have been written and others not. One put for each entry; not atomic.
   */
  CompletionStage<Void> putAll(Map<? extends K, ? extends V> entries, Duration lifespan);

  /**
   * Removes the key. One put, and null as result; with return values, a conditional operation and
   * the previous value.
   */
  CompletionStage<WriteOutcome<V>> remove(Object key);

  /**
   * Writes {@code value} if the key is absent. The result is the value that was present, or null.
   */
  CompletionStage<WriteOutcome<V>> putIfAbsent(K key, V value, Duration lifespan);

  /** Writes {@code value} if the key is present. The result is the previous value, or null. */
  CompletionStage<WriteOutcome<V>> replace(K key, V value, Duration lifespan);

  /**
   * Writes {@code value} if the present value equals {@code expected}. The result says whether the
   * value was equal.
   */
  CompletionStage<WriteOutcome<Boolean>> replace(K key, V expected, V value, Duration lifespan);

  /**
   * Removes the key if its value equals {@code expected}. The result says whether the value was
   * equal.
   */
  CompletionStage<WriteOutcome<Boolean>> remove(Object key, Object expected);

  /**
   * Writes the result of {@code function} for the key and its present value, which is null if the
   * key is absent. A null result removes the key. The result of the stage is the new value.
   */
  CompletionStage<WriteOutcome<V>> compute(
      K key, BiFunction<? super K, ? super V, ? extends V> function, Duration lifespan);

  /** As {@code compute}, but only for a key that is present. */
  CompletionStage<WriteOutcome<V>> computeIfPresent(
      K key, BiFunction<? super K, ? super V, ? extends V> function, Duration lifespan);

  /**
   * Writes the result of {@code function} if the key is absent. The result of the stage is the
   * value that is present then.
   */
  CompletionStage<WriteOutcome<V>> computeIfAbsent(
      K key, Function<? super K, ? extends V> function, Duration lifespan);

  /**
   * Writes {@code value} if the key is absent, else the result of {@code function} for both values.
   * A null result removes the key. The result of the stage is the new value.
   */
  CompletionStage<WriteOutcome<V>> merge(
      K key, V value, BiFunction<? super V, ? super V, ? extends V> function, Duration lifespan);

  /**
   * Carries out the decision of {@code function} on the present value, which is null if the key is
   * absent. Unlike {@link #compute}, the function also decides on the lifespan and on the result of
   * the stage. One conditional operation.
   *
   * @throws NullPointerException if the key or the function is null
   */
  <R> CompletionStage<WriteOutcome<R>> update(
      K key, Function<@Nullable V, EntryUpdate<V, R>> function);

  /** Counts the live entries by iterating over all of them; not a snapshot. */
  CompletionStage<Long> size();

  /**
   * Removes the entries that an iteration over the cache finds; not atomic. Fails when the first
   * removal fails; by then some entries may be gone and others not.
   */
  CompletionStage<Void> clear();
}
