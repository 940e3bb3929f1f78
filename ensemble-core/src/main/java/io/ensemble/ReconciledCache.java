package io.ensemble;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A view of a WEAK cache that keeps siblings: values of one key that were written without knowledge
 * of each other, for example at sites that were disconnected. Where an operation needs one value
 * ({@code get}, the conditional operations, the collections), the policy computes it from the
 * siblings, without a write. A write replaces all siblings that the writer's site shows. With a
 * {@linkplain CausalContext context}, a write replaces exactly the values that a reader has seen,
 * at whichever site that reader was.
 *
 * <p>Guarantees. A value stays until a write that has seen it replaces it: disconnections, failures
 * and memory losses of sites lose no value that another site has. A replaced value does not
 * reappear. A removal removes the values that it has seen; an unseen value survives it. Two kinds
 * of values are lost: values that only one site had acknowledged, if that site is lost permanently;
 * and the lowest stamps beyond the {@linkplain CacheDefinition#siblings() siblings that the cache
 * keeps}, which are counted and logged. All sites converge to the same siblings, as in WEAK they
 * converge to the same value.
 *
 * <p>Errors are those of {@link EnsembleCache}; a policy that throws causes a {@link
 * ReconciliationException}. A write is a conditional operation at the nearest site that can be
 * read. If that site stops answering during the write, the outcome is unknown. If the write was
 * applied, a repeated write without context replaces the first, and one with the same context
 * becomes a sibling of it.
 *
 * <p>Requests: a read 1; a write 2 at the site that answers, and 2 at each other site in the
 * background. Thread-safe.
 *
 * @param <K> the keys' type
 * @param <V> the values' type
 */
public interface ReconciledCache<K, V> extends EnsembleCache<K, V> {

  /** Returns all values of the key and the context for a write. One read. */
  SiblingValues<V> siblings(K key);

  /**
   * Writes {@code value} and replaces the values that {@code seen} has seen; other values stay, as
   * siblings.
   *
   * @param seen from {@link #siblings} of that key
   * @throws IllegalArgumentException if the context is of another key, of no cache, or of a future
   *     time
   */
  void put(K key, V value, CausalContext seen);

  /** As the other method, with {@code lifespan}; no expiry if that is not positive. */
  void put(K key, V value, CausalContext seen, Duration lifespan);

  /**
   * Removes the values that {@code seen} has seen; other values stay. Not to be confused with
   * {@link #remove(Object, Object)}.
   *
   * @param seen from {@link #siblings} of that key
   * @throws IllegalArgumentException if the context is of another key, of no cache, or of a future
   *     time
   */
  void remove(K key, CausalContext seen);

  /**
   * Replaces all siblings by the result of {@code merge} for them, in one step at the site that
   * executes the call. Writes nothing if there is at most one value.
   *
   * @return the one value; null for none
   * @throws ReconciliationException if {@code merge} throws; nothing was written
   */
  @Nullable V resolve(K key, Reconciliation<V> merge);

  /** As the other method, by this view's policy. */
  @Nullable V resolve(K key);

  /** The asynchronous form of these methods. */
  AsyncSiblings<K, V> asyncSiblings();

  @Override
  ReconciledCache<K, V> withDeadline(Duration deadline);

  @Override
  ReconciledCache<K, V> withReturnValues();
}
