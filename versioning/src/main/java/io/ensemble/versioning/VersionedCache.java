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
 * 1). Several processes may write concurrently. Each operation on a key takes effect at one moment,
 * in one order for all processes (linearizable). Thread-safe.
 *
 * <p>Deviations from Algorithm 1: {@code put(k, u)} makes a version strictly above every existing
 * one, not their least upper bound, which may exist already. {@code put(k, u, v)} accepts versions
 * in any order, unless the cache is ordered. Predecessor and successor follow the prose of the
 * paper, since its formal conditions are reversed.
 *
 * <p><b>As a map</b> ({@code BasicCache}) the cache shows the latest values. {@code put} adds a
 * version, and returns null unless the cache was built with {@link
 * VersionedCacheBuilder#returnValues}. {@code remove} adds a version without a value, if the key
 * has a value. An operation that depends on the present value reads it and writes in one atomic
 * step. Iterations ({@code size}, {@code clear}, the views) are not atomic, and read the latest
 * value of each key; a {@link #snapshot} shows one moment. Lifespans are refused; {@link Retention}
 * determines how long versions are kept.
 *
 * <p><b>Errors.</b> A {@link VersioningException} means that the operation had no effect. A failure
 * of the store is an {@link io.ensemble.objects.AtomicObjectException}, whose kind says whether a
 * version may have been added. A mistake of the caller is an {@link IllegalArgumentException},
 * including a key of more than 600 bytes, or a value of more than 240 KiB.
 *
 * <p><b>Cost.</b> A write: one compare-and-set, and a read before it if other processes write the
 * key, or if it was not written recently. A read of the latest value: one read. Other reads: one
 * read, and one round trip each for parts of the index and for values that are not cached in this
 * process.
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
   * Returns the options of the cache of that name.
   *
   * @param factory on the store of the cache; not closed with the cache
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

  /** The asynchronous interface. */
  public AsyncVersionedCache<K, V, T> async() {
    return async;
  }

  /**
   * Reads that may be stale. They are answered from the state of a key that this process has,
   * without a request to the store. The condition is that this state is younger than one second,
   * and that no event has reported a change. The reads of one key in this process never go back in
   * time, and include its own versions (sequential consistency). Each key that is read in this way
   * is kept open, like a written key.
   */
  public VersionedReads<K, V, T> sequential() {
    return new VersionedReads<>(async.sequential());
  }

  /**
   * Adds a value under a version above all others of the key, and returns that version.
   *
   * @throws IllegalStateException if there is no version above: the largest one was added, or read
   *     as of
   * @throws VersioningException.KeyFull if the index is {@link IndexType#BASELINE}, and the key has
   *     no room
   */
  public T add(K key, V value) {
    return BlockingWait.toItsEnd(async.add(key, value));
  }

  /**
   * Adds a value under {@code version}. An existing version is refused, even with the same value.
   *
   * @throws VersioningException.VersionExists if the version has a value
   * @throws VersioningException.VersionNotAbove if the cache is ordered and there is a version that
   *     this one is not above; or if it is the initial version
   * @throws VersioningException.VersionBelowSnapshot if the key was read as of this version or a
   *     higher one
   * @throws VersioningException.VersionCompacted if it is below the versions that compaction left
   * @throws VersioningException.VersionTooFarAhead if it is ahead of this process's clock by more
   *     than the space accepts
   * @throws VersioningException.KeyFull as for {@link #add}
   */
  public void put(K key, V value, T version) {
    BlockingWait.toItsEnd(async.put(key, value, version));
  }

  /**
   * Adds many versions of a key, in the order of the list, in as few steps as possible. Versions
   * added before a refused one remain.
   */
  public void addAll(K key, List<Versioned<T, V>> all) {
    BlockingWait.toItsEnd(async.addAll(key, all));
  }

  /**
   * Reads the key as of a version: the latest version at or below it. The result is stable until
   * the key is purged: afterwards no version at or below {@code version} can be added to the key.
   * Costs one read, and one compare-and-set in addition the first time that the key is read as of a
   * version above all former ones.
   *
   * @throws VersioningException.VersionCompacted if compaction removed the version of that time
   * @throws VersioningException.VersionTooFarAhead if the version is ahead of this process's clock
   *     by more than the space accepts: it would block all writers of the key
   */
  public Optional<Versioned<T, V>> asOf(K key, T version) {
    return BlockingWait.toItsEnd(async.asOf(key, version));
  }

  /**
   * Removes the versions that no read as of {@code version} or later can return: all below the
   * latest one at or below it. Versions with no version above them remain.
   */
  public void compact(K key, T version) {
    BlockingWait.toItsEnd(async.compact(key, version));
  }

  /**
   * Adds the value of an old version as a new version; if the old version is a removal, adds a
   * removal.
   */
  public T restore(K key, T version) {
    return BlockingWait.toItsEnd(async.restore(key, version));
  }

  /**
   * Merges concurrent versions: if several versions have no version above them, adds the result of
   * {@code merging} for their values, above all of them. {@code merging} may be called several
   * times, of which one counts. If it throws, the caller gets the exception, and no version is
   * added.
   *
   * @return the only version with no version above it now; empty if there is none
   */
  public Optional<Versioned<T, V>> resolve(K key, BinaryOperator<V> merging) {
    return BlockingWait.toItsEnd(async.resolve(key, merging));
  }

  /**
   * The whole cache as of a version, all keys together. For two kinds of keys, no version at or
   * below that version can be added any more: keys that were read as of it, and keys without
   * versions when this method returns. Other keys accept such versions until they are read in this
   * way. Costs one read, and a step if no earlier snapshot was as high.
   *
   * @throws IllegalArgumentException if the version is in the future, as far as the space can
   *     determine: it would block all writers
   */
  public CacheSnapshot<K, V, T> at(T version) {
    return BlockingWait.toItsEnd(async.at(version));
  }

  /**
   * The whole cache as of about now. The snapshot contains every version whose addition ended
   * before this call. It contains no version whose addition begins later than twice the clock skew
   * after this call. Of additions in between, it contains those to a key that is not read yet.
   *
   * <p>Conditions: clocks differ by at most the skew given to the space ({@link
   * io.ensemble.versioning.order.HybridTimes}), and there is at most one snapshot per millisecond.
   * If versions do not follow clocks, such as plain numbers, the snapshot certainly contains only
   * the versions that this process has seen.
   *
   * @throws VersioningException.VersionTooFarAhead if a process whose clock is far ahead has taken
   *     a snapshot, above which keys have been created since; {@link #at} still reads the cache
   */
  public CacheSnapshot<K, V, T> snapshot() {
    return BlockingWait.toItsEnd(async.snapshot());
  }

  /**
   * Iterates over the keys that have, or had, versions, or were read {@linkplain #asOf as of} a
   * version, in no order; the iterator must be closed. Does not support removal. A key that exists
   * throughout is returned, perhaps twice if nodes join or leave. Reads all keys of the store, so
   * the iteration is faster for caches with stores of their own.
   */
  public CloseableIterator<K> keys() {
    return async.keys();
  }

  /**
   * Sets the retention of one key, and removes the other versions.
   *
   * @param retention null for the retention of the cache
   * @throws IllegalArgumentException if it is by age, and versions have no time
   */
  public void retain(K key, @Nullable Retention retention) {
    BlockingWait.toItsEnd(async.retain(key, retention));
  }

  /**
   * Reads which versions the cache keeps, of keys without a {@linkplain #retain retention of their
   * own}. One read.
   */
  public Retention retention() {
    return BlockingWait.toItsEnd(async.retention());
  }

  /**
   * Changes which versions the cache keeps, while it is used. Additions that begin later than 10 s
   * after this call use the new retention, in all processes; those of this process immediately.
   * Versions of a key are removed with its next addition, or by {@link #sweep}. Versions that the
   * former retention removed do not return. One read and one step; may be repeated.
   *
   * @throws IllegalArgumentException if it is by age, and versions have no time
   */
  public void changeRetention(Retention retention) {
    BlockingWait.toItsEnd(async.changeRetention(retention));
  }

  /**
   * Removes the versions of all keys that need not be kept, including keys that are no longer
   * written. Useful from time to time if the retention is by age. Safe to repeat, and to run in
   * several processes concurrently.
   *
   * @return the number of keys processed
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
   * Removes all versions of a key permanently, also from snapshots, which then show no content for
   * the key. None of these versions can be added again. If this fails, the versions may be removed
   * while their bytes are still in the store; it may be repeated.
   */
  public void purge(K key) {
    BlockingWait.toItsEnd(async.purge(key));
  }

  /**
   * Waits until oversized parts of the key's entry have been moved to entries of their own, which
   * otherwise happens later.
   */
  public void settle(K key) {
    BlockingWait.toItsEnd(async.settle(key));
  }

  /**
   * Reports versions as they are added, of one key, several or all: {@code
   * cache.listen().key("home").start(version -> ...)}. Subscriptions end with this cache.
   */
  public SubscriptionBuilder<K, V, T> listen() {
    HistoryNames<K> names = async.names;
    return new SubscriptionBuilder<>(
        new SubscriptionSource<>(
            async.historyStore.additions(),
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
    return new UnsupportedOperationException(
        what + " is not supported: values are opaque to the store");
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

  /** Has no effect: a cache is open from its creation. */
  @Override
  public void start() {
    // Open from its creation.
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

  /** Closes the histories that are open in this process, without waiting; the cache remains. */
  @Override
  public void close() {
    async.close();
  }
}
