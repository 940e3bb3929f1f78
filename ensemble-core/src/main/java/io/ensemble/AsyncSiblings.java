package io.ensemble;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * The methods of {@link ReconciledCache} that deal with siblings, returning at once and saying by
 * type how they ended, as {@link AsyncEnsembleCache} does for the others.
 *
 * @param <K> the keys' type
 * @param <V> the values' type
 */
public interface AsyncSiblings<K, V> {

  /** As {@link ReconciledCache#siblings}. */
  CompletionStage<SiblingValues<V>> siblings(K key);

  /** As {@link ReconciledCache#put(Object, Object, CausalContext)}; without result. */
  CompletionStage<WriteOutcome<V>> put(K key, V value, CausalContext seen, Duration lifespan);

  /** As {@link ReconciledCache#remove(Object, CausalContext)}; without result. */
  CompletionStage<WriteOutcome<V>> remove(K key, CausalContext seen);

  /** As {@link ReconciledCache#resolve(Object, Reconciliation)}; the result is the value. */
  CompletionStage<WriteOutcome<V>> resolve(K key, Reconciliation<V> merge);
}
