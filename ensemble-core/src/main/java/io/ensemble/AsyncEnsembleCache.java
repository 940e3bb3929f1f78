package io.ensemble;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * A cache whose operations return at once and whose writes say by type how they ended: see {@link
 * WriteOutcome}.
 *
 * <p>Each call has one deadline, the view's, and ends by it. A failed read fails its stage with
 * {@link QuorumUnavailableException}, after which a retry is safe; a write that could not be done
 * ends as {@link WriteOutcome.Refused} or {@link WriteOutcome.Unknown}, and fails its stage with
 * {@link WriterPresentException}, a retry being safe, while another process is the writer of an
 * SWMR cache. Mistakes of the caller are thrown at once: {@link NullPointerException} for a null
 * key or value, {@link IllegalArgumentException} for a type without a schema or a value over the
 * cache's limit, {@link IllegalStateException} when the cache is stopped. Stages complete on
 * Ensemble's scheduler: do not block in what depends on them.
 *
 * <p>Functions are handed what is there and decide what shall be; they may be called several times,
 * of which one call counts, on Ensemble's scheduler or on a thread that waits inside a blocking
 * call: keep them short and free of effects. What one throws fails the stage, and nothing is
 * written.
 *
 * <p>A lifespan that is not positive means for ever. Guarantees and round trips of single-key
 * operations are those of the cache's {@link Mode}. Thread-safe.
 *
 * @param <K> the keys' type
 * @param <V> the values' type
 */
public interface AsyncEnsembleCache<K, V> {

  /** The live value; empty when there is none. One read. */
  CompletionStage<Optional<V>> get(Object key);

  /** Whether there is a live value. One read. */
  CompletionStage<Boolean> containsKey(Object key);

  /** The live values of those of {@code keys} that have one. One read for each key; not atomic. */
  CompletionStage<Map<K, V>> getAll(Set<?> keys);

  /**
   * Writes {@code value}. One put, and null as result; with return values a conditional operation,
   * and the previous value.
   */
  CompletionStage<WriteOutcome<V>> put(K key, V value, Duration lifespan);

  /** Writes {@code value} for ever; as {@link #put(Object, Object, Duration)}. */
  default CompletionStage<WriteOutcome<V>> put(K key, V value) {
    return put(key, value, Duration.ZERO);
  }

  /**
   * Puts all entries, several at a time. Fails as the first of them does, when some may have been
   * written and others not. One put for each entry; not atomic.
   */
  CompletionStage<Void> putAll(Map<? extends K, ? extends V> entries, Duration lifespan);

  /**
   * Removes the key. One put, and null as result; with return values a conditional operation, and
   * the previous value.
   */
  CompletionStage<WriteOutcome<V>> remove(Object key);

  /** Writes {@code value} if the key is absent; the result is the value that was there, or null. */
  CompletionStage<WriteOutcome<V>> putIfAbsent(K key, V value, Duration lifespan);

  /** Writes {@code value} if the key is present; the result is the previous value, or null. */
  CompletionStage<WriteOutcome<V>> replace(K key, V value, Duration lifespan);

  /** Writes {@code value} if {@code expected} is there; the result says whether it was. */
  CompletionStage<WriteOutcome<Boolean>> replace(K key, V expected, V value, Duration lifespan);

  /** Removes the key if {@code expected} is there; the result says whether it was. */
  CompletionStage<WriteOutcome<Boolean>> remove(Object key, Object expected);

  /**
   * Writes what {@code function} makes of the key and its value, null when it has none; null
   * removes. The result is the new value.
   */
  CompletionStage<WriteOutcome<V>> compute(
      K key, BiFunction<? super K, ? super V, ? extends V> function, Duration lifespan);

  /** As {@code compute}, but only for a key that is present. */
  CompletionStage<WriteOutcome<V>> computeIfPresent(
      K key, BiFunction<? super K, ? super V, ? extends V> function, Duration lifespan);

  /** Writes what {@code function} makes if the key is absent; the result is what is there then. */
  CompletionStage<WriteOutcome<V>> computeIfAbsent(
      K key, Function<? super K, ? extends V> function, Duration lifespan);

  /**
   * Writes {@code value} if the key is absent, else what {@code function} makes of both values;
   * null removes. The result is the new value.
   */
  CompletionStage<WriteOutcome<V>> merge(
      K key, V value, BiFunction<? super V, ? super V, ? extends V> function, Duration lifespan);

  /** Counts the live entries by walking over all of them; not a snapshot. */
  CompletionStage<Long> size();

  /**
   * Removes the entries that it meets while walking over all of them; not atomic. Fails as the
   * first removal does, when some entries may be gone and others not.
   */
  CompletionStage<Void> clear();
}
