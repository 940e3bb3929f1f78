package io.ensemble;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.infinispan.commons.api.BasicCache;
import org.infinispan.commons.util.CloseableIteratorCollection;
import org.infinispan.commons.util.CloseableIteratorSet;

/**
 * A cache over several sites, with Infinispan's own API. Guarantees and round trips of single-key
 * operations are those of its {@link Mode}; thread-safe.
 *
 * <p><b>Errors.</b> A call ends by the view's deadline. What a cache could not do is an {@link
 * EnsembleException}. {@link QuorumUnavailableException}: nothing was done, retry freely. {@link
 * WriterPresentException}, of writes in SWMR mode: the same, but another process is the writer.
 * {@link UnknownOutcomeException}: perhaps applied. Mistakes of the caller are thrown at once:
 * {@link NullPointerException} for a null key or value, {@link IllegalArgumentException} for a type
 * without a ProtoStream schema or a value over the limit, {@link IllegalStateException} when the
 * cache is stopped or a blocking method is called on Ensemble's scheduler or in a function given to
 * it. Methods that return futures complete them on that scheduler, with these exceptions unwrapped;
 * completing or cancelling such a future changes nothing but itself.
 *
 * <p><b>Return values.</b> {@code put} and {@code remove} return null, unless the cache is viewed
 * {@link #withReturnValues()}. A write in WEAK mode that lost to a higher stamp returns normally,
 * as if it had been overwritten a moment later; if that stamp is too far ahead of this process's
 * clock, the write fails with {@link ClockSkewException}.
 *
 * <p><b>Writers.</b> In SWMR mode a write fails with {@link WriterPresentException} while another
 * process is the writer; it says who that is and when a retry would take a dead writer's place.
 *
 * <p><b>Functions</b> given to computing methods may be called several times, of which one call
 * counts, on the calling thread while it waits or on Ensemble's scheduler: keep them short and free
 * of effects; a blocking method of a cache is refused there. What they throw reaches the caller,
 * and nothing is written.
 *
 * <p><b>Time.</b> A lifespan of 0 or less means for ever, and so does none: a computed or replaced
 * value does not inherit the former one's. A max-idle time above 0 is refused with {@link
 * UnsupportedOperationException} in every mode: reads would have to be writes.
 *
 * <p><b>Not atomic:</b> {@code size}, {@code clear}, {@code putAll}, {@code getAll}, {@code
 * containsValue}, {@code replaceAll}, {@code forEach} and the collections, which are views that
 * walk over the cache lazily and write through. Each key that is there throughout is met once. A
 * call of an iterator that failed may be repeated and goes on where it was; each has a deadline of
 * its own. Close an iterator that you leave early: a walk that comes by the same key at several
 * sites knows it by a fingerprint, and keeps 8 to 16 bytes for each key so far in WEAK mode, 22 to
 * 43 in the others. {@code size}, {@code clear} and {@code containsValue} have one deadline for the
 * whole walk: give them a longer one in a large cache.
 *
 * <p>{@code query} and {@code continuousQuery} throw {@link UnsupportedOperationException}: to
 * sites values are opaque. Caches are equal when they are the same object.
 *
 * @param <K> the keys' type
 * @param <V> the values' type
 */
public interface EnsembleCache<K, V> extends BasicCache<K, V> {

  /** What this cache is. */
  CacheDefinition definition();

  /** How long each call on this view may take. */
  Duration deadline();

  /**
   * A view whose calls may take {@code deadline}.
   *
   * @throws IllegalArgumentException if it is zero, negative or over a day
   */
  EnsembleCache<K, V> withDeadline(Duration deadline);

  /** A view whose {@code put} and {@code remove} return the previous value. */
  EnsembleCache<K, V> withReturnValues();

  /**
   * A view that makes one value of siblings by {@code policy}, and shows them. Seen without it, the
   * last writer's value is the one, and a write takes the place of all that its site shows.
   *
   * @throws UnsupportedOperationException if the cache {@linkplain CacheDefinition#keepsSiblings
   *     keeps none}, or is distributed, whose parts may
   */
  ReconciledCache<K, V> reconciled(Reconciliation<V> policy);

  /** The asynchronous face of this view. */
  AsyncEnsembleCache<K, V> async();

  /** The live values of those of {@code keys} that have one. One read for each key; not atomic. */
  Map<K, V> getAll(Set<? extends K> keys);

  /**
   * Has {@code listener} told of acknowledged writes of this process that a fail-over may have
   * dropped, whatever view made them: only caches with {@link Acknowledgement#PRIMARY} report any.
   * Reports come one at a time and in order, on a thread of Ensemble's scheduler, later than what
   * they tell of; those that wait when the cache is closed come on the closing thread. A listener
   * that waits delays the reports of this cache, and holds a thread of the scheduler, but no
   * fail-over: keep it short all the same. Of a listener that stays behind by 10,000 reports the
   * next ones go to the log and the metrics alone. What it throws is logged.
   *
   * @return ends that
   */
  Runnable onDoubtfulWrites(Consumer<InDoubtWrites<K>> listener);

  @Override
  CloseableIteratorSet<K> keySet();

  @Override
  CloseableIteratorCollection<V> values();

  @Override
  CloseableIteratorSet<Map.Entry<K, V>> entrySet();

  /** Nothing to do: a cache is running when its manager hands it out. */
  @Override
  void start();

  /** Closes this cache and all its views; asking the manager for it opens it again. */
  @Override
  void stop();
}
