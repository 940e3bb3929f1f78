package io.ensemble.versioning;

import io.ensemble.versioning.drive.HistoryStore;
import io.ensemble.versioning.drive.HistoryStore.Found;
import io.ensemble.versioning.history.Addition;
import io.ensemble.versioning.history.AdditionResult;
import io.ensemble.versioning.history.HistoryCalls;
import io.ensemble.versioning.history.VersionQuery;
import io.ensemble.versioning.order.VersionSpace;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BinaryOperator;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.infinispan.commons.util.CloseableIterator;
import org.infinispan.commons.util.IteratorMapper;
import org.jspecify.annotations.Nullable;

/**
 * The asynchronous interface of a {@link VersionedCache}: the same operations. The stages complete
 * on the executor of the factory, or fail with the exceptions of the blocking operations.
 * Thread-safe.
 */
public final class AsyncVersionedCache<K, V, T> extends AsyncVersionedReads<K, V, T> {

  /** The maximum size of a value, below the limits of a call of an atomic object and its result. */
  private static final int LONGEST_VALUE = 240 << 10;

  private final SnapshotTracker<T> snapshots;
  private final RetentionTracker retentions;
  private final boolean ordered;

  AsyncVersionedCache(
      HistoryStore<T> historyStore,
      VersionSpace<T> space,
      HistoryNames<K> names,
      BinaryCodec<V> values,
      SnapshotTracker<T> snapshots,
      RetentionTracker retentions,
      boolean ordered) {
    super(historyStore, space, names, values, HistoryStore.Age.NOW);
    this.snapshots = snapshots;
    this.retentions = retentions;
    this.ordered = ordered;
  }

  /** See {@link VersionedCache#sequential}. */
  public AsyncVersionedReads<K, V, T> sequential() {
    return new AsyncVersionedReads<>(
        historyStore, space, names, values, HistoryStore.Age.SEQUENTIAL);
  }

  /** See {@link VersionedCache#add}. */
  public CompletionStage<T> add(K key, V value) {
    Objects.requireNonNull(value, "a value");
    return added(key, null, value, null)
        .thenApply(additionResult -> space.read(additionResult.version()));
  }

  /** See {@link VersionedCache#put(Object, Object, Object)}. */
  public CompletionStage<Void> put(K key, V value, T version) {
    Objects.requireNonNull(value, "a value");
    Objects.requireNonNull(version, "a version");
    return added(key, version, value, null).thenApply(additionResult -> null);
  }

  /** See {@link VersionedCache#addAll}. */
  public CompletionStage<Void> addAll(K key, List<Versioned<T, V>> all) {
    return guarded(key, new BulkAdd<>(this, space, names.of(key)).add(key, List.copyOf(all)));
  }

  /** Adds a version; a removal is a version, too. */
  CompletionStage<AdditionResult> added(
      K key, @Nullable T version, @Nullable V value, @Nullable List<T> expected) {
    if (version != null && space.isTooFarAhead(version)) {
      return CompletableFuture.failedFuture(tooFarAhead(key, version));
    }
    Addition addition = addition(version, value, expected);
    return guarded(key, stored(names.of(key), addition))
        .thenApply(
            additionResult -> {
              if (additionResult.result() == AdditionResult.Result.NO_ROOM) {
                throw new VersioningException.KeyFull(key);
              }
              if (version != null) {
                checkAdded(key, version, additionResult);
              }
              if (additionResult.result() == AdditionResult.Result.ADDED) {
                space.observe(space.read(additionResult.version()));
              }
              return additionResult;
            });
  }

  /** Adds one version, with the present retention of the cache. */
  CompletionStage<AdditionResult> stored(String name, Addition addition) {
    return retentions
        .current()
        .thenCompose(retention -> historyStore.add(name, addition, retention));
  }

  /** Adds versions in one step, with the present retention of the cache. */
  CompletionStage<List<AdditionResult>> stored(String name, List<Addition> additions) {
    return retentions
        .current()
        .thenCompose(retention -> historyStore.addAll(name, additions, retention));
  }

  /** The exception for a version chosen by the caller that is refused before any request. */
  VersioningException tooFarAhead(Object key, T version) {
    return new VersioningException.VersionTooFarAhead(key, version, millis());
  }

  Addition addition(@Nullable T version, @Nullable V value, @Nullable List<T> expected) {
    return new Addition(
        version == null ? null : space.write(version),
        space.write(space.proposal()),
        value == null ? null : written(value),
        millis(),
        ordered,
        expected == null ? null : expected.stream().map(space::write).toList(),
        0,
        "",
        null);
  }

  /** Throws {@link IllegalArgumentException} for a value that is too long. */
  byte[] written(V value) {
    byte[] bytes = values.write().apply(value);
    if (bytes.length > LONGEST_VALUE) {
      throw new IllegalArgumentException(
          "a value must have at most " + LONGEST_VALUE + " bytes; got " + bytes.length);
    }
    return bytes;
  }

  void checkAdded(K key, T version, AdditionResult additionResult) {
    switch (additionResult.result()) {
      case EXISTS -> throw new VersioningException.VersionExists(key, version);
      case NOT_ABOVE ->
          throw new VersioningException.VersionNotAbove(
              key, version, space.read(additionResult.version()));
      case BELOW_SNAPSHOT ->
          throw new VersioningException.VersionBelowSnapshot(
              key, version, space.read(additionResult.version()));
      case COMPACTED ->
          throw new VersioningException.VersionCompacted(
              key, version, space.read(additionResult.version()));
      case NO_ROOM -> throw new VersioningException.KeyFull(key);
      case READ_SHARD_FIRST, READ_SNAPSHOT_FIRST ->
          throw new AssertionError("a version can be added only after a read");
      case ADDED, UNEXPECTED -> {}
    }
  }

  /** See {@link VersionedCache#asOf}. */
  public CompletionStage<Optional<Versioned<T, V>>> asOf(K key, T version) {
    return asOf(key, version, false);
  }

  /**
   * As {@link #asOf(Object, Object)}.
   *
   * @param recorded whether the snapshot is recorded for the whole cache: then a missing key need
   *     not be created, since the process that creates it later reads the snapshot
   */
  CompletionStage<Optional<Versioned<T, V>>> asOf(K key, T version, boolean recorded) {
    checkTotalOrder("a snapshot");
    if (space.isTooFarAhead(version)) {
      return CompletableFuture.failedFuture(tooFarAhead(key, version));
    }
    space.observe(version);
    VersionQuery query = VersionQuery.last().to(space.write(version), true);
    return guarded(
            key,
            historyStore
                .find(names.of(key), query, true)
                .thenCompose(
                    found ->
                        recorded && !found.exists() || isFixed(found, version)
                            ? CompletableFuture.completedFuture(found)
                            : historyStore.raise(names.of(key), version, query)))
        .thenApply(
            found -> {
              found
                  .horizon()
                  .filter(h -> space.compare(version, h) < 0)
                  .ifPresent(
                      h -> {
                        throw new VersioningException.VersionCompacted(key, version, h);
                      });
              return first(versioned(found));
            });
  }

  private boolean isFixed(Found<T> found, T version) {
    return found.floor().filter(f -> space.compare(version, f) <= 0).isPresent();
  }

  /** See {@link VersionedCache#compact}. */
  public CompletionStage<Void> compact(K key, T version) {
    VersionQuery query = VersionQuery.last().to(space.write(version), true);
    String name = names.of(key);
    return guarded(
        key,
        historyStore
            .find(name, query, false)
            .thenCompose(
                found ->
                    found.versions().isEmpty()
                        ? CompletableFuture.completedFuture(null)
                        : historyStore.change(
                            name,
                            (HistoryCalls h) -> {
                              h.compact(space.write(found.versions().get(0)));
                              return null;
                            })));
  }

  /** See {@link VersionedCache#restore}. */
  public CompletionStage<T> restore(K key, T version) {
    return get(key, version)
        .thenCompose(value -> added(key, null, value.orElse(null), null))
        .thenApply(additionResult -> space.read(additionResult.version()));
  }

  /** See {@link VersionedCache#resolve}. */
  public CompletionStage<Optional<Versioned<T, V>>> resolve(K key, BinaryOperator<V> merging) {
    return changes().resolve(key, merging);
  }

  ConditionalUpdates<K, V, T> changes() {
    return new ConditionalUpdates<>(this);
  }

  /** The value of the latest version of the key. */
  CompletionStage<Optional<V>> latestValue(K key) {
    return latest(key).thenApply(found -> found.flatMap(Versioned::value));
  }

  /** See {@link VersionedCache#at}. */
  public CompletionStage<CacheSnapshot<K, V, T>> at(T version) {
    checkTotalOrder("a snapshot");
    if (space.isInFuture(version)) {
      throw new IllegalArgumentException(
          "a snapshot version must not be in the future, because later writes below it are "
              + "refused; got "
              + version);
    }
    if (space.isTooFarAhead(version)) {
      return CompletableFuture.failedFuture(tooFarAhead("the cache " + names.cache(), version));
    }
    return takeSnapshot(highest -> version);
  }

  /** See {@link VersionedCache#snapshot}. */
  public CompletionStage<CacheSnapshot<K, V, T>> snapshot() {
    checkTotalOrder("a snapshot");
    return takeSnapshot(
        highest -> {
          if (space.isTooFarAhead(highest)) { // New keys begin above it, and would be missing.
            throw tooFarAhead("the cache " + names.cache(), highest);
          }
          space.observe(highest); // Its readers may have written above it already.
          return space.present();
        });
  }

  private CompletionStage<CacheSnapshot<K, V, T>> takeSnapshot(UnaryOperator<T> choosing) {
    return guarded(
        "the cache " + names.cache(),
        snapshots
            .highest()
            .thenCompose(
                highest -> {
                  T version = choosing.apply(space.read(highest));
                  space.observe(version);
                  return snapshots
                      .record(version, highest)
                      .thenApply(recorded -> new CacheSnapshot<>(this, version));
                }));
  }

  /** See {@link VersionedCache#keys}. */
  public CloseableIterator<K> keys() {
    return new IteratorMapper<>(historyStore.names(names.prefix()), names::key);
  }

  CompletionStage<UUID> birth() {
    return snapshots.birth();
  }

  String cacheName() {
    return names.cache();
  }

  /** All keys that have a value, with their values. */
  ReadAheadIterator<K, Map.Entry<K, V>> walk() {
    return new ReadAheadIterator<>(
        keys(), key -> latestValue(key).thenApply(found -> found.map(v -> Map.entry(key, v))));
  }

  /** See {@link VersionedCache#retain}. */
  public CompletionStage<Void> retain(K key, @Nullable Retention retention) {
    if (retention != null) {
      checkTime(retention);
    }
    long now = millis();
    String name = names.of(key);
    return guarded(
        key,
        retentions
            .current()
            .thenCompose(
                ofCache ->
                    historyStore.change(
                        name,
                        history -> {
                          history.retain(retention, ofCache, now);
                          return null;
                        })));
  }

  /** See {@link VersionedCache#retention}. */
  public CompletionStage<Retention> retention() {
    return guarded("the cache " + names.cache(), retentions.read());
  }

  /** See {@link VersionedCache#changeRetention}. */
  public CompletionStage<Void> changeRetention(Retention retention) {
    checkTime(retention);
    return guarded("the cache " + names.cache(), retentions.change(retention));
  }

  private long millis() {
    return space.now().orElse(0);
  }

  private void checkTime(Retention retention) {
    if (retention.isTimed() && space.now().isEmpty()) {
      throw new IllegalArgumentException(
          "retention by age requires versions that contain their time; the space is "
              + space.name());
    }
  }

  /** Removes the versions of one key that the retention does not keep. */
  CompletionStage<Void> sweep(K key) {
    long now = millis();
    String name = names.of(key);
    return whereThereIsOne(
        key,
        () ->
            retentions
                .current()
                .thenCompose(
                    ofCache ->
                        historyStore.change(
                            name,
                            history -> {
                              history.sweep(ofCache, now);
                              return null;
                            })));
  }

  /** Changes the history of a key; does nothing, and creates no history, if the key has none. */
  private CompletionStage<Void> whereThereIsOne(K key, Supplier<CompletionStage<Void>> change) {
    return guarded(
        key,
        historyStore
            .find(names.of(key), VersionQuery.last(), false)
            .thenCompose(
                found -> found.exists() ? change.get() : CompletableFuture.completedFuture(null)));
  }

  /** See {@link VersionedCache#purge}. */
  public CompletionStage<Void> purge(K key) {
    String name = names.of(key);
    return whereThereIsOne(key, () -> historyStore.settled(name, AsyncVersionedCache::purged));
  }

  private static @Nullable Void purged(HistoryCalls history) {
    history.purge();
    return null;
  }

  /** See {@link VersionedCache#settle}. */
  public CompletionStage<Void> settle(K key) {
    return guarded(key, historyStore.offload(names.of(key)));
  }

  /** Closes open histories, without waiting. */
  void close() {
    historyStore.close();
  }
}
