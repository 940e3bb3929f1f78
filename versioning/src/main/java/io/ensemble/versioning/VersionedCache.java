package io.ensemble.versioning;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.drive.Awaited;
import io.ensemble.versioning.listen.Listening;
import io.ensemble.versioning.listen.Source;
import io.ensemble.versioning.order.VersionSpace;
import java.util.List;
import java.util.Optional;
import java.util.function.BinaryOperator;
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
public final class VersionedCache<K, V, T> implements AutoCloseable {

  private final String name;
  private final AsyncVersionedCache<K, V, T> async;

  VersionedCache(String name, AsyncVersionedCache<K, V, T> async) {
    this.name = name;
    this.async = async;
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
      Form<K> keys,
      Form<V> values,
      VersionSpace<T> versions) {
    return new VersionedCacheBuilder<>(factory, name, keys, values, versions);
  }

  /** The asynchronous face. */
  public AsyncVersionedCache<K, V, T> async() {
    return async;
  }

  /** This cache's name. */
  public String getName() {
    return name;
  }

  /**
   * Adds a value under a version above all others of the key, and returns that.
   *
   * @throws IllegalStateException if there is none above: the largest was added, or read as of
   */
  public T add(K key, V value) {
    return Awaited.toItsEnd(async.add(key, value));
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
   */
  public void put(K key, V value, T version) {
    Awaited.toItsEnd(async.put(key, value, version));
  }

  /**
   * Adds many versions of a key, in the list's order, in as few steps as they fit into. What was
   * added before one that is refused stays.
   */
  public void addAll(K key, List<Versioned<T, V>> all) {
    Awaited.toItsEnd(async.addAll(key, all));
  }

  /** The latest version; of several that no other is above, the last in the space's order. */
  public Optional<Versioned<T, V>> latest(K key) {
    return Awaited.toItsEnd(async.latest(key));
  }

  /** All versions that no other is above, the last in the space's order first. */
  public List<Versioned<T, V>> maximal(K key) {
    return Awaited.toItsEnd(async.maximal(key));
  }

  /**
   * The value of a version.
   *
   * @return empty if the key was removed with it
   * @throws VersioningException.UnknownVersion if there is no such version
   * @throws VersioningException.VersionCompacted if there may have been one, which compaction took
   */
  public Optional<V> get(K key, T version) {
    return Awaited.toItsEnd(async.get(key, version));
  }

  /**
   * The versions from one to another, both included, smallest first.
   *
   * @throws IllegalArgumentException if {@code from} comes after {@code to}
   */
  public List<Versioned<T, V>> getRange(K key, T from, T to) {
    return Awaited.toItsEnd(async.getRange(key, from, to));
  }

  /** The latest version strictly below one, which need not be there; empty if there is none. */
  public Optional<Versioned<T, V>> getPredecessor(K key, T version) {
    return Awaited.toItsEnd(async.getPredecessor(key, version));
  }

  /** The earliest version strictly above one, which need not be there; empty if there is none. */
  public Optional<Versioned<T, V>> getSuccessor(K key, T version) {
    return Awaited.toItsEnd(async.getSuccessor(key, version));
  }

  /**
   * Versions, without their values.
   *
   * @param from null for the smallest
   * @param to null for the largest; included, as {@code from}
   * @param limit how many at most
   * @param descending the largest first
   */
  public List<T> versions(K key, @Nullable T from, @Nullable T to, int limit, boolean descending) {
    return Awaited.toItsEnd(async.versions(key, from, to, limit, descending));
  }

  /**
   * The key as it was at a version: the latest one at or below it. What it shows stays so for ever:
   * no version at or below {@code version} is added to the key any more. One read; one
   * compare-and-set more the first time that a key is read as of a version above all former ones.
   *
   * @throws VersioningException.VersionCompacted if compaction took what it was then
   */
  public Optional<Versioned<T, V>> asOf(K key, T version) {
    return Awaited.toItsEnd(async.asOf(key, version));
  }

  /**
   * Removes the versions that nobody sees who reads as of {@code version} or later: all below the
   * latest one at or below it. Versions that no other is above stay.
   */
  public void compact(K key, T version) {
    Awaited.toItsEnd(async.compact(key, version));
  }

  /** Adds the value of an old version as a new one; also that the key was removed with it. */
  public T restore(K key, T version) {
    return Awaited.toItsEnd(async.restore(key, version));
  }

  /**
   * Where several versions have none above them: adds what {@code merging} makes of their values,
   * above all. May be called several times, of which one counts; what it throws reaches the caller,
   * and nothing is added.
   *
   * @return the only version that has none above it now; empty if there is none
   */
  public Optional<Versioned<T, V>> resolve(K key, BinaryOperator<V> merging) {
    return Awaited.toItsEnd(async.resolve(key, merging));
  }

  /** Removes all versions of a key for good. None of them is used again. */
  public void purge(K key) {
    Awaited.toItsEnd(async.purge(key));
  }

  /**
   * Waits until what grows too large in a key's entry was moved out, as otherwise happens later.
   */
  public void settle(K key) {
    Awaited.toItsEnd(async.settle(key));
  }

  /**
   * Tells versions as they are added, of one key, several or all: {@code
   * cache.listen().key("home").start(version -> ...)}. Subscriptions end with this cache.
   */
  public Listening<K, V, T> listen() {
    Names<K> names = async.names;
    return new Listening<>(
        new Source<>(
            async.keyed.additions(),
            async.space,
            names.cache(),
            names.prefix(),
            names::of,
            names::key,
            async.values.read()));
  }

  /** Closes the histories that are open here, without waiting; the cache remains. */
  @Override
  public void close() {
    async.close();
  }
}
