package io.ensemble;

import io.ensemble.distribution.CacheParts;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * A cache over several caches, its parts, each of which holds some of the keys (LEADS D2.6, section
 * 4). A partitioner says where a key belongs, the same in every process; a call with a key is a
 * call on that part, with its guarantee and at its cost, and finding the part costs no round trip.
 * The part itself is a cache like others, and what is done to it directly is seen here, if the key
 * belongs there.
 *
 * <p>What has no key, or several, is done part by part or key by key, and is not atomic: counting
 * and walking go over the parts in their order, and leave out keys that belong elsewhere.
 *
 * <p><b>Frontier mode.</b> Of a key whose part is not at the manager's local site, {@code get},
 * {@code getOrDefault}, {@code getAll} and {@code containsKey} find nothing, without a request; for
 * others they are those of the part. Everything else is as usual, whether it writes or walks: also
 * what {@code put} with return values, {@code putIfAbsent} or {@code replace} answer. Where a key's
 * part is goes by what this process knows: after {@linkplain CacheParts parts have changed} it may
 * find nothing of a key that has come to the local site, until it has read the cache's record,
 * which it does every five seconds, and later where the definitions cannot be had.
 *
 * <p><b>Errors</b> are those of {@link EnsembleCache}, and name the part. A key that no part can be
 * found for, for its pattern takes too many steps, is a mistake of the caller, thrown at once
 * ({@link io.ensemble.partition.MatchTooCostlyException}). A part that was deleted or stopped is
 * told as such by every call that meets it, while those of other parts go on; ask the manager for
 * this cache again.
 *
 * @param <K> the keys' type
 * @param <V> the values' type
 */
public interface DistributedEnsembleCache<K, V> extends EnsembleCache<K, V> {

  /** The parts, and how keys are dealt out to them. */
  DistributedDefinition distribution();

  /**
   * The part that {@code key} belongs to, as far as this process knows, with this view's deadline
   * and return values; in frontier mode too. Sends nothing. While {@linkplain CacheParts parts
   * change}, what is done to the part itself may be done where the key is no more: it belongs to
   * where this cache's own calls find it.
   */
  EnsembleCache<K, V> locate(K key);

  /**
   * What all parts promise together: the weakest of their modes and acknowledgements, the sites of
   * all, the longest deadline, the smallest of their largest values, the shortest tombstone grace,
   * the largest window. A key and a value must fit every part. See {@link #distribution()} for what
   * this cache is, and {@link #locate} for what holds for one key.
   */
  @Override
  CacheDefinition definition();

  @Override
  DistributedEnsembleCache<K, V> withDeadline(Duration deadline);

  @Override
  DistributedEnsembleCache<K, V> withReturnValues();

  /**
   * As of other caches, for all parts. Reports name the part; those of one come one at a time and
   * in order, those of several may come at once.
   */
  @Override
  Runnable onDoubtfulWrites(Consumer<InDoubtWrites<K>> listener);

  /** Closes this cache and all its views; the parts stay open. */
  @Override
  void stop();
}
