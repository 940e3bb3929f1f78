package io.ensemble;

import io.ensemble.adapter.CompareAndExchange;
import io.ensemble.adapter.CompareAndSetSupport;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.infinispan.commons.api.BasicCache;
import org.infinispan.commons.util.CloseableIteratorCollection;
import org.infinispan.commons.util.CloseableIteratorSet;
import org.jspecify.annotations.Nullable;

/**
 * A cache over several sites, with Infinispan's own API. Guarantees and round trips of single-key
 * operations are those of its {@link Mode}; thread-safe.
 *
 * <p><b>Errors.</b> A call ends by the view's deadline. A failure of the cache is an {@link
 * EnsembleException}. {@link QuorumUnavailableException}: nothing was done; a retry is safe. {@link
 * WriterPresentException}, for writes in SWMR mode: the same, because another process is the
 * writer. {@link UnknownOutcomeException}: perhaps applied.
 *
 * <p>Mistakes of the caller are thrown immediately. {@link NullPointerException}: null key or
 * value. {@link IllegalArgumentException}: a type without a ProtoStream schema, or a value over the
 * limit. {@link IllegalStateException}: the cache is stopped, or a blocking method is called on
 * Ensemble's scheduler or in a function given to the cache. Methods that return futures complete
 * them on that scheduler, with these exceptions unwrapped. Completing or cancelling such a future
 * affects only the future.
 *
 * <p><b>Return values.</b> {@code put} and {@code remove} return null, unless the view is {@link
 * #withReturnValues()}. A write in WEAK mode that lost to a higher stamp returns normally, as if it
 * had been overwritten a moment later. If that stamp is too far ahead of this process's clock, the
 * write fails with {@link ClockSkewException}.
 *
 * <p><b>Writers.</b> In SWMR mode a write fails with {@link WriterPresentException} while another
 * process is the writer. The exception names the writer, and the time after which a retry would
 * replace a dead writer.
 *
 * <p><b>Functions</b> given to computing methods may be called several times, of which one call
 * counts. They run on the calling thread while it waits, or on Ensemble's scheduler. Keep them
 * short and free of side effects; blocking methods of a cache are rejected there. An exception of
 * the function reaches the caller, and nothing is written.
 *
 * <p><b>Time.</b> A lifespan of 0 or less means that the entry does not expire, as does no
 * lifespan: a computed or replaced value does not inherit the lifespan of the former one. A
 * max-idle time above 0 is rejected with {@link UnsupportedOperationException} in every mode,
 * because reads would have to be writes.
 *
 * <p><b>Not atomic:</b> {@code size}, {@code clear}, {@code putAll}, {@code getAll}, {@code
 * containsValue}, {@code replaceAll}, {@code forEach} and the collections. The collections are
 * views that iterate over the cache lazily and write through. An iteration returns each key that is
 * present throughout exactly once.
 *
 * <p>If a call of an iterator fails, it may be repeated and continues at the same position; each
 * call has a deadline of its own. Close an iterator that you leave early. An iteration recognizes a
 * key that it finds at several sites by a fingerprint. For each key so far these take 8 to 16 bytes
 * in WEAK mode, and 22 to 43 bytes in the others. {@code size}, {@code clear} and {@code
 * containsValue} have one deadline for the whole iteration: give them a longer one in a large
 * cache.
 *
 * <p>{@code query} and {@code continuousQuery} throw {@link UnsupportedOperationException}, because
 * values are opaque to sites. Caches are equal if they are the same object.
 *
 * @param <K> the keys' type
 * @param <V> the values' type
 */
public interface EnsembleCache<K, V>
    extends BasicCache<K, V>, CompareAndSetSupport, CompareAndExchange<K, V> {

  /** The definition of this cache. */
  CacheDefinition definition();

  /**
   * {@inheritDoc}
   *
   * <p>A cache in mode MWMR supports it. In mode WEAK a write may replace one that it has not seen.
   * In mode SWMR other processes than the writer are refused.
   */
  @Override
  default Optional<String> compareAndSetObstacle() {
    Mode mode = definition().mode();
    return mode == Mode.MWMR
        ? Optional.empty()
        : Optional.of("mode is " + mode + "; use a cache in mode MWMR");
  }

  /** The longest time of each call on this view. */
  Duration deadline();

  /**
   * A view with {@code deadline} as the longest time of each call.
   *
   * @throws IllegalArgumentException if it is zero, negative or over a day
   */
  EnsembleCache<K, V> withDeadline(Duration deadline);

  /** A view whose {@code put} and {@code remove} return the previous value. */
  EnsembleCache<K, V> withReturnValues();

  /**
   * A view that makes one value of siblings by {@code policy}, and shows the siblings. In a view
   * without a policy the value is that of the last writer, and a write replaces all siblings that
   * its site shows.
   *
   * @throws UnsupportedOperationException if the cache {@linkplain CacheDefinition#keepsSiblings
   *     keeps none}; or if it is distributed, although its parts may keep siblings
   */
  ReconciledCache<K, V> reconciled(Reconciliation<V> policy);

  /** The asynchronous form of this view. */
  AsyncEnsembleCache<K, V> async();

  /**
   * Returns the live values of {@code keys}; a key without one is left out. One read for each key;
   * not atomic.
   */
  Map<K, V> getAll(Set<? extends K> keys);

  /**
   * Carries out the decision of {@code function} on the present value, which is null if the key is
   * absent, and returns the result that belongs to the decision. Unlike {@code compute}, the
   * function also decides on the lifespan and on the result. One conditional operation: atomic as
   * far as the {@link Mode} guarantees.
   *
   * @throws NullPointerException if the key or the function is null
   */
  <R> @Nullable R update(K key, Function<@Nullable V, EntryUpdate<V, R>> function);

  /**
   * Registers {@code listener} for acknowledged writes of this process that a fail-over may have
   * dropped, through whichever view they were made. Only caches with {@link
   * Acknowledgement#PRIMARY} report any. Reports come one at a time and in order, on a thread of
   * Ensemble's scheduler, some time after the event. Reports that are pending when the cache is
   * closed come on the closing thread.
   *
   * <p>A listener that blocks delays the reports of this cache and occupies a thread of the
   * scheduler, but delays no fail-over: keep the listener short all the same. If 10,000 reports are
   * pending for a listener, further ones go only to the log and the metrics. An exception of the
   * listener is logged.
   *
   * @return ends the registration
   */
  Runnable onInDoubtWrites(Consumer<InDoubtWrites<K>> listener);

  /**
   * Opens a stream of the changes of this cache, whichever process makes them. Blocks until so many
   * replicas have been scanned that they meet each majority (in WEAK mode: one site), for the
   * deadline of this view at most.
   *
   * <ul>
   *   <li>MWMR: each write that begins after this method returns is shown, or is covered by a gap.
   *       It is shown only once it is chosen, so a read that begins after its event returns that
   *       write or a later one.
   *   <li>SWMR: the same, except that a write that was overwritten before the stream saw it may be
   *       missing without a gap.
   *   <li>WEAK: the last write of each key is shown once a site that holds it can be reached. A
   *       read at another site may return an older one for a while.
   * </ul>
   *
   * <p>Costs nothing while no stream is open. An open stream is one listener at each replica, a
   * scan of each replica every 30 seconds, and a read for each write that is not proven otherwise:
   * in SWMR for each write, in MWMR for one whose votes do not prove it chosen. If a site does not
   * permit listeners, its replicas are scanned every second.
   *
   * <p>The stream of a distributed or sharded cache consists of a stream for each part. It ends
   * with {@link PartsChangedException} when the assignment of keys to parts changes.
   *
   * @throws UnsupportedOperationException if the cache keeps siblings, is an SWMR cache whose
   *     writes the primary alone acknowledges, has such a part, or is in frontier mode
   * @throws IllegalArgumentException if the position is malformed, or is one of another cache, or
   *     of a stream of other keys or another prefix
   * @throws QuorumUnavailableException if too few replicas answered in time; no stream is open
   * @throws ListenLimitException if the cache has more keys than the options allow
   */
  ChangeStream<K, V> listen(ListenOptions<K> options);

  /**
   * Registers an object with annotations of Infinispan's Hot Rod client: its class has
   * {@code @ClientListener}, and public methods have {@code @ClientCacheEntryCreated},
   * {@code @ClientCacheEntryModified}, {@code @ClientCacheEntryRemoved},
   * {@code @ClientCacheEntryExpired} or {@code @ClientCacheFailover} and take the event of the
   * annotation. Each object has a stream of all changes, see {@link #listen} for the guarantees and
   * costs, and a thread of its own that calls the methods one after the other. They may use the
   * cache. What they throw is logged.
   *
   * <p>The version of an event is the time of the change in microseconds since 1970, 0 for an entry
   * that was present. {@code @ClientCacheFailover} methods are called when events may be missing:
   * read the cache then. With {@code includeCurrentState}, present entries are shown first as
   * created; a change meanwhile may be shown twice. Registering an object twice has no effect.
   * Blocks as {@link #listen} does.
   *
   * @throws IllegalArgumentException if the class or a method is not as described
   * @throws UnsupportedOperationException if the class names a filter or a converter, wants raw
   *     data, or if the cache {@linkplain #listen cannot be listened to}
   * @throws QuorumUnavailableException if too few replicas answered in time; the object is not
   *     registered
   */
  void addClientListener(Object listener);

  /**
   * Ends the calls of a registered object. A call in progress ends. Without effect if it is not
   * registered.
   */
  void removeClientListener(Object listener);

  /** The registered objects, of all views of this cache in this process. */
  Set<Object> getListeners();

  @Override
  CloseableIteratorSet<K> keySet();

  @Override
  CloseableIteratorCollection<V> values();

  @Override
  CloseableIteratorSet<Map.Entry<K, V>> entrySet();

  /** Has no effect: a cache is running when its manager returns it. */
  @Override
  void start();

  /** Closes this cache and all its views. The manager opens it again when it is requested again. */
  @Override
  void stop();
}
