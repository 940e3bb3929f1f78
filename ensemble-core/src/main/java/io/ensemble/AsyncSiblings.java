package io.ensemble;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * The asynchronous form of those methods of {@link ReconciledCache} that deal with siblings. They
 * return immediately and report their end by type, as {@link AsyncEnsembleCache} does for the other
 * methods.
 *
 * @param <K> the keys' type
 * @param <V> the values' type
 */
public interface AsyncSiblings<K, V> {

  /** As {@link ReconciledCache#siblings}. */
  CompletionStage<SiblingValues<V>> siblings(K key);

  /** As {@link ReconciledCache#put(Object, Object, CausalContext)}, without a result. */
  CompletionStage<WriteOutcome<V>> put(K key, V value, CausalContext seen, Duration lifespan);

  /** As {@link ReconciledCache#remove(Object, CausalContext)}, without a result. */
  CompletionStage<WriteOutcome<V>> remove(K key, CausalContext seen);

  /** As {@link ReconciledCache#resolve(Object, Reconciliation)}. The result is the value. */
  CompletionStage<WriteOutcome<V>> resolve(K key, Reconciliation<V> merge);
}
