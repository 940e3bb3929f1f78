package io.ensemble;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A view of a WEAK cache that keeps siblings: values of one key that were written without knowledge
 * of each other, at sites that were cut off, perhaps. Where one value is wanted, by {@code get},
 * the conditional operations and the collections, the policy makes it; nothing is written by that.
 * What is written takes the place of all that the writer's site shows, or, with a {@linkplain
 * CausalContext context}, of what a reader has seen, wherever that was, and of nothing else.
 *
 * <p>Guarantees. A value stays until a write that has seen it takes its place: sites that are cut
 * off, fail or forget lose none that another site has. A value whose place was taken does not come
 * back. A removal takes away what it has seen; a value that it has not seen outlives it. Two things
 * are lost: what only one site had acknowledged that is then lost permanently, and the lowest
 * stamps of more siblings than the {@linkplain CacheDefinition#siblings() cache keeps}, which is
 * counted and logged. All sites end with the same siblings, as in WEAK they do with the same value.
 *
 * <p>Errors are those of {@link EnsembleCache}; a policy that throws is a {@link
 * ReconciliationException}. A write is a conditional operation at the nearest site that can be
 * read; when that one falls silent in the middle of it the outcome is unknown, and if it did
 * happen, a repeated write without context takes the first one's place, one with the same context
 * stands beside it.
 *
 * <p>Requests: a read 1; a write 2 at the site that answers, and 2 at each other site in the
 * background. Thread-safe.
 *
 * @param <K> the keys' type
 * @param <V> the values' type
 */
public interface ReconciledCache<K, V> extends EnsembleCache<K, V> {

  /** All values of the key and what to write with. One read. */
  SiblingValues<V> siblings(K key);

  /**
   * Writes {@code value} in the place of what {@code seen} has seen; other values stay, as
   * siblings.
   *
   * @param seen from {@link #siblings} of that key
   * @throws IllegalArgumentException if it is of another key, of no cache, or of a time to come
   */
  void put(K key, V value, CausalContext seen);

  /** As the other method, for {@code lifespan}; for ever if that is not positive. */
  void put(K key, V value, CausalContext seen, Duration lifespan);

  /**
   * Removes what {@code seen} has seen; other values stay. Not {@link #remove(Object, Object)}.
   *
   * @param seen from {@link #siblings} of that key
   * @throws IllegalArgumentException if it is of another key, of no cache, or of a time to come
   */
  void remove(K key, CausalContext seen);

  /**
   * Writes what {@code merge} makes of the siblings in the place of all of them, in one step at the
   * site that it is done at. Writes nothing where there is one value or none.
   *
   * @return the one value; null for none
   * @throws ReconciliationException if {@code merge} throws; nothing was written
   */
  @Nullable V resolve(K key, Reconciliation<V> merge);

  /** As the other method, by this view's policy. */
  @Nullable V resolve(K key);

  /** The asynchronous face of these methods. */
  AsyncSiblings<K, V> asyncSiblings();

  @Override
  ReconciledCache<K, V> withDeadline(Duration deadline);

  @Override
  ReconciledCache<K, V> withReturnValues();
}
