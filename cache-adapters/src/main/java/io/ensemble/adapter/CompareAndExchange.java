package io.ensemble.adapter;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A conditional replacement that returns the value that it found. After a failed {@code replace} a
 * caller would have to read the value in another round trip.
 */
public interface CompareAndExchange<K, V> {

  /**
   * Replaces the value of {@code key} by {@code value}, without expiry, if it equals {@code
   * expected}. Equality is that of {@code replace}. Completes with {@code expected} itself if it
   * was replaced, otherwise with the present value; with null if the key is absent. Fails as {@code
   * replaceAsync} does, and completes on the same threads. If the outcome is unknown, the caller
   * must read before it retries. Costs the round trips of {@code replaceAsync}. Thread-safe.
   *
   * @throws NullPointerException if an argument is null
   */
  CompletableFuture<@Nullable V> compareAndExchangeAsync(K key, V expected, V value);
}
