package io.ensemble.versioning;

import io.ensemble.adapter.BlockingMapAdapter;
import io.ensemble.adapter.EntriesView;
import io.ensemble.adapter.KeysView;
import io.ensemble.adapter.MapOperations;
import io.ensemble.adapter.ValuesView;
import io.ensemble.adapter.WriteThroughEntry;
import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.runtime.BlockingWait;
import io.ensemble.versioning.listen.SubscriptionBuilder;
import io.ensemble.versioning.listen.SubscriptionSource;
import io.ensemble.versioning.order.VersionSpace;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.BinaryOperator;
import java.util.function.Supplier;
import org.infinispan.commons.api.query.ContinuousQuery;
import org.infinispan.commons.api.query.Query;
import org.infinispan.commons.util.CloseableIterator;
import org.infinispan.commons.util.CloseableIteratorCollection;
import org.infinispan.commons.util.CloseableIteratorSet;
import org.jspecify.annotations.Nullable;

/**
 * A cache that keeps every value that a key had, each under a version (D2.6, appendix A, Algorithm
 * 1). Several processes write at once; each operation on a key takes effect at one moment, in one
 * order for everyone (linearizable). Thread-safe.
 *
 * <p>Deviations from Algorithm 1: {@code put(k, u)} makes a version strictly above every existing
 * one, not their least upper bound, which may be there already; {@code put(k, u, v)} takes versions
 * in any order, unless the cache is ordered; predecessor and successor are as the paper's prose
 * says, since its formal conditions are the other way round.
 *
 * <p><b>As a map</b> ({@code BasicCache}) it shows the latest values. {@code put} adds a version,
 * and returns null unless the cache was built with {@link VersionedCacheBuilder#returnValues};
 * {@code remove} adds one without a value, where there is one. What depends on the value that is
 * there is one step with the look at it. Walks ({@code size}, {@code clear}, the views) are not
 * atomic, and read the latest value of each key; a {@link #snapshot} is one moment. Lifespans are
 * refused: {@link Retention} says how long versions stay.
 *
 * <p><b>Errors.</b> A {@link VersioningException} says that nothing was done. What the store fails
 * with is an {@link io.ensemble.objects.AtomicObjectException}, whose kind says whether a version
 * may have been added. A mistake of the caller is an {@link IllegalArgumentException}, also a key
 * of more than 600 bytes, or a value of more than 240 KiB.
 *
 * <p><b>Cost.</b> Writing: one compare-and-set, and a read before it where others write the key, or
 * it was not written lately. Reading the latest value: one read. Others: one read, and one round
 * trip each for parts of the index and values that no copy is kept of here.
 *
 * @param <K> the keys
 * @param <V> the values
 * @param <T> the versions
 */
public final class VersionedCache<K, V, T> extends VersionedReads<K, V, T>
    implements BlockingMapAdapter<K, V>, AutoCloseable {

  private final AsyncVersionedCache<K, V, T> async;
  private final LatestOperations<K, V> operations;

  VersionedCache(AsyncVersionedCache<K, V, T> async, boolean returnValues) {
    super(async);
    this.async = async;
    this.operations = new LatestOperations<>(async, returnValues);
  }

  /**
   * Options of the cache of that name.
   *
   * @param factory on whose store it is; not closed with the cache
   * @param name one of several caches on the store
   */
  public static <K, V, T> VersionedCacheBuilder<K, V, T> builder(
      AtomicObjectFactory factory,
      String name,
      BinaryCodec<K> keys,
      BinaryCodec<V> values,
      VersionSpace<T> versions) {
    return new VersionedCacheBuilder<>(factory, name, keys, values, versions);
  }

  /** The asynchronous face. */
  public AsyncVersionedCache<K, V, T> async() {
    return async;
  }

  /**
   * Reads that may be somewhat old: answered from what this process knows of a key, without asking
   * the store, as long as that is younger than a second and no event told of a change. What this
   * process sees of one key never goes back, and holds its own versions (sequential consistency).
   * Each key that is read so is kept open, as one that is written.
   */
  public VersionedReads<K, V, T> sequential() {
    return new VersionedReads<>(async.sequential());
  }

  /**
   * Adds a value under a version above all others of the key, and returns that.
   *
   * @throws IllegalStateException if there is none above: the largest was added, or read as of
   */
  public T add(K key, V value) {
    return BlockingWait.toItsEnd(async.add(key, value));
  }

  /**
   * Adds a value under {@code version}. Repeating one that is there is refused, also by the same
   * value.
   *
   * @throws VersioningException.VersionExists if the version has a value
   * @throws VersioningException.VersionNotAbove if the cache is ordered and there is a version that
   *     this one is not above; or if it is the initial one
   * @throws VersioningException.VersionBelowCut if a cut at it, or above, has been read
   * @throws VersioningException.VersionCompacted if it is below what compaction left
   * @throws VersioningException.VersionTooFarAhead if it is ahead of this process's clock by more
   *     than the space accepts
   */
  public void put(K key, V value, T version) {
    BlockingWait.toItsEnd(async.put(key, value, version));
  }

  /**
   * Adds many versions of a key, in the list's order, in as few steps as they fit into. What was
   * added before one that is refused stays.
   */
  public void addAll(K key, List<Versioned<T, V>> all) {
    BlockingWait.toItsEnd(async.addAll(key, all));
  }

  /**
   * The key as it was at a version: the latest one at or below it. What it shows stays so, until
   * the key is purged: no version at or below {@code version} is added to it any more. One read;
   * one compare-and-set more the first time that a key is read as of a version above all former
   * ones.
   *
   * @throws VersioningException.VersionCompacted if compaction took what it was then
   * @throws VersioningException.VersionTooFarAhead if the version is ahead of this process's clock
   *     by more than the space accepts: it would hold back all writers of the key
   */
  public Optional<Versioned<T, V>> asOf(K key, T version) {
    return BlockingWait.toItsEnd(async.asOf(key, version));
  }

  /**
   * Removes the versions that nobody sees who reads as of {@code version} or later: all below the
   * latest one at or below it. Versions that no other is above stay.
   */
  public void compact(K key, T version) {
    BlockingWait.toItsEnd(async.compact(key, version));
  }

  /** Adds the value of an old version as a new one; also that the key was removed with it. */
  public T restore(K key, T version) {
    return BlockingWait.toItsEnd(async.restore(key, version));
  }

  /**
   * Where several versions have none above them: adds what {@code merging} makes of their values,
   * above all. May be called several times, of which one counts; what it throws reaches the caller,
   * and nothing is added.
   *
   * @return the only version that has none above it now; empty if there is none
   */
  public Optional<Versioned<T, V>> resolve(K key, BinaryOperator<V> merging) {
    return BlockingWait.toItsEnd(async.resolve(key, merging));
  }

  /**
   * The whole cache as it was at a version, all keys together. To a key that was read as of it, or
   * that has no versions when this returns, none is added any more at it or below; others take such
   * versions until they are read so. One read, and a step where no cut was so high before.
   *
   * @throws IllegalArgumentException if the version is to come, as far as the space can tell: all
   *     writers would be held back
   */
  public CacheSnapshot<K, V, T> at(T version) {
    return BlockingWait.toItsEnd(async.at(version));
  }

  /**
   * The whole cache as it is about now: every version is in it whose addition had ended before the
   * call, and none whose addition begins later than twice the skew of clocks after it, as far as
   * clocks are no further apart than the space was told ({@link
   * io.ensemble.versioning.order.HybridTimes}), and there are no more snapshots than one each
   * millisecond. Of what is added in between, that is in it which is added to a key before that is
   * read. Of versions that do not follow clocks, as plain numbers, it is only what this process has
   * met that is surely in it.
   *
   * @throws VersioningException.VersionTooFarAhead if a process whose clock is far ahead has taken
   *     a snapshot, above which keys have been made since; {@link #at} still reads the cache
   */
  public CacheSnapshot<K, V, T> snapshot() {
    return BlockingWait.toItsEnd(async.snapshot());
  }

  /**
   * Walks over the keys that have, or had, versions, or were read {@linkplain #asOf as of} one, in
   * no order, as it goes on; to be closed. Does not remove. One that is there throughout is met,
   * perhaps twice where nodes come or go. Reads through all keys of the store: caches with stores
   * of their own are walked over faster.
   */
  public CloseableIterator<K> keys() {
    return async.keys();
  }

  /**
   * Chooses which versions of one key stay, and removes the rest.
   *
   * @param retention null for the cache's own again
   * @throws IllegalArgumentException if it goes by age, and versions do not say theirs
   */
  public void retain(K key, @Nullable Retention retention) {
    BlockingWait.toItsEnd(async.retain(key, retention));
  }

  /**
   * Removes what need not stay of all keys, also of those that nobody writes any more. Best done
   * now and then where versions go by age. Safe to repeat, and by several at a time.
   *
   * @return how many keys were gone through
   */
  public long sweep() {
    long keys = 0;
    try (ReadAheadIterator<K, K> readAheadIterator =
        new ReadAheadIterator<>(
            async.keys(), key -> async.sweep(key).thenApply(done -> Optional.of(key)))) {
      for (; readAheadIterator.hasNext(); readAheadIterator.next()) {
        keys++;
      }
    }
    return keys;
  }

  /**
   * Removes all versions of a key for good, also out of cuts, which show nothing of it then. None
   * of them is used again. Where it fails they may be removed, and their bytes still be in the
   * store: it may be repeated.
   */
  public void purge(K key) {
    BlockingWait.toItsEnd(async.purge(key));
  }

  /**
   * Waits until what grows too large in a key's entry was moved out, as otherwise happens later.
   */
  public void settle(K key) {
    BlockingWait.toItsEnd(async.settle(key));
  }

  /**
   * Tells versions as they are added, of one key, several or all: {@code
   * cache.listen().key("home").start(version -> ...)}. Subscriptions end with this cache.
   */
  public SubscriptionBuilder<K, V, T> listen() {
    HistoryNames<K> names = async.names;
    return new SubscriptionBuilder<>(
        new SubscriptionSource<>(
            async.keyed.additions(),
            async.space,
            names.cache(),
            names.prefix(),
            names::of,
            names::key,
            async.values.read()));
  }

  @Override
  public MapOperations<K, V> operations() {
    return operations;
  }

  @Override
  public <R extends @Nullable Object> R awaited(Supplier<? extends CompletionStage<R>> call) {
    return BlockingWait.toItsEnd(call.get());
  }

  @Override
  public CloseableIteratorSet<K> keySet() {
    return new KeysView<>(this, () -> new LatestIterator<>(this, WriteThroughEntry::getKey));
  }

  @Override
  public CloseableIteratorCollection<V> values() {
    return new ValuesView<>(this, () -> new LatestIterator<>(this, WriteThroughEntry::getValue));
  }

  @Override
  public CloseableIteratorSet<Map.Entry<K, V>> entrySet() {
    return new EntriesView<>(this, () -> new LatestIterator<>(this, entry -> entry));
  }

  @Override
  public <Q> Query<Q> query(String text) {
    throw opaque("query");
  }

  @Override
  public ContinuousQuery<K, V> continuousQuery() {
    throw opaque("continuousQuery");
  }

  private static UnsupportedOperationException opaque(String what) {
    return new UnsupportedOperationException(what + " is not there: to the store values are bytes");
  }

  @Override
  public String getName() {
    return async.names.cache();
  }

  @Override
  public String getVersion() {
    String version = VersionedCache.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }

  /** Nothing to do: a cache is open when it is there. */
  @Override
  public void start() {
    // Open from the beginning.
  }

  /** As {@link #close()}. */
  @Override
  public void stop() {
    close();
  }

  @Override
  public String toString() {
    return "VersionedCache[" + getName() + "]";
  }

  /** Closes the histories that are open here, without waiting; the cache remains. */
  @Override
  public void close() {
    async.close();
  }
}
