package io.ensemble;

import io.ensemble.distribution.CacheParts;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A cache over several caches, its parts, each of which holds some of the keys (LEADS D2.6, section
 * 4). A partitioner finds the part of a key, the same in every process. A call with a key is a call
 * on that part, with the part's guarantee and cost; finding the part costs no round trip. A part is
 * a cache like others. Writes made directly to it are visible here if the key belongs to that part.
 *
 * <p>Operations without a key or with several keys run part by part or key by key, and are not
 * atomic. Counting and iteration visit the parts in their order, and leave out keys that belong to
 * another part.
 *
 * <p><b>Frontier mode.</b> For a key whose part is not at the manager's local site {@code get},
 * {@code getOrDefault}, {@code getAll} and {@code containsKey} find nothing, without a request. For
 * other keys they are those of the part. All other operations are unaffected, whether they write or
 * iterate: also the results of {@code put} with return values, {@code putIfAbsent} and {@code
 * replace}.
 *
 * <p>The location of a key's part is the one in the record that this process has last read. After
 * the {@linkplain CacheParts parts have changed}, the process may find nothing for a key that has
 * come to the local site. The effect ends when the process reads the cache's record, which happens
 * every five seconds, and later if the definitions cannot be read.
 *
 * <p><b>Errors</b> are those of {@link EnsembleCache}, and name the part. A key whose part cannot
 * be found, because its pattern takes too many steps, is a mistake of the caller and thrown
 * immediately ({@link io.ensemble.partition.MatchTooCostlyException}). If a part was deleted or
 * stopped, every call on it says so, while calls on other parts succeed; ask the manager for this
 * cache again.
 *
 * @param <K> the keys' type
 * @param <V> the values' type
 */
public interface DistributedEnsembleCache<K, V> extends EnsembleCache<K, V> {

  /** The parts and the partitioner. */
  DistributedDefinition distribution();

  /**
   * The part of {@code key}, as far as this process knows, with this view's deadline and return
   * values; in frontier mode too. Sends nothing. While {@linkplain CacheParts parts change}, an
   * operation on the part itself may miss the key, because the key has moved; calls on this cache
   * find it.
   */
  EnsembleCache<K, V> locate(K key);

  /**
   * The common guarantee of all parts: the weakest of their modes and acknowledgements, the sites
   * of all, the longest deadline, the smallest of their largest values, the shortest tombstone
   * grace, the largest window. A key and a value must fit every part. See {@link #distribution()}
   * for the parts, and {@link #locate} for the guarantee of one key.
   */
  @Override
  CacheDefinition definition();

  /**
   * {@inheritDoc}
   *
   * <p>All parts must be in mode MWMR, and the cache not in frontier mode.
   */
  @Override
  default Optional<String> compareAndSetObstacle() {
    return distribution().frontier()
        ? Optional.of(
            "reads in frontier mode find only keys of the local site; use a cache without frontier"
                + " mode")
        : EnsembleCache.super.compareAndSetObstacle();
  }

  @Override
  DistributedEnsembleCache<K, V> withDeadline(Duration deadline);

  @Override
  DistributedEnsembleCache<K, V> withReturnValues();

  /**
   * As for other caches, for all parts. Reports name the part. Reports of one part come one at a
   * time and in order; those of several parts may come concurrently.
   */
  @Override
  Runnable onInDoubtWrites(Consumer<InDoubtWrites<K>> listener);

  /** Closes this cache and all its views; the parts stay open. */
  @Override
  void stop();
}
