package io.ensemble.versioning.drive;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.runtime.ObjectKeys;
import io.ensemble.versioning.Retention;
import io.ensemble.versioning.history.Addition;
import io.ensemble.versioning.history.AdditionResult;
import io.ensemble.versioning.history.AdditionResult.Result;
import io.ensemble.versioning.history.HistoryCalls;
import io.ensemble.versioning.history.HistoryLimits;
import io.ensemble.versioning.history.LookupResult;
import io.ensemble.versioning.history.VersionQuery;
import io.ensemble.versioning.index.IndexEntry;
import io.ensemble.versioning.index.ShardRef;
import io.ensemble.versioning.order.VersionSpace;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.infinispan.commons.util.CloseableIterator;
import org.jspecify.annotations.Nullable;

/**
 * The versions of all keys of a cache, as bytes. Thread-safe.
 *
 * @param <T> the versions
 */
public final class HistoryStore<T> {

  /**
   * The result of a query.
   *
   * @param exists whether the key has a history
   * @param floor no version at or below it can be added
   * @param horizon all versions below it were removed
   * @param heads the versions with no version above them
   * @param lastSequence the number of versions ever added
   */
  public record Found<T>(
      boolean exists,
      List<T> versions,
      List<Long> sequences,
      List<Optional<byte[]>> values,
      Optional<T> floor,
      Optional<T> horizon,
      List<T> heads,
      long lastSequence) {}

  /** How old an answer may be. */
  public enum Age {
    /** As recent as the moment of the request. */
    NOW,
    /**
     * Somewhat older, but never older than the state that this process has read or written before.
     */
    SEQUENTIAL
  }

  private final AtomicObjectFactory factory;
  private final VersionSpace<T> space;
  private final Supplier<CompletionStage<byte[]>> highestSnapshot;
  private final OpenHistories histories;
  private final OpenHistories sequential;
  private final VersionReader<T> versionReader;
  private final VersionReader<T> sequentialReader;
  private final OffloadExecutor<T> offloadExecutor;
  private final VersionFeed<T> additions;

  /**
   * @param highestSnapshot reads the highest version of a snapshot of the whole cache
   * @param deltas whether values are stored as differences from others
   * @param mostOpen the number of keys whose histories stay open
   * @param keptBytes the maximum bytes of cached immutable entries, and the same for cached entries
   *     of keys
   * @param timeout the time after which a failed request is not retried any more
   */
  public HistoryStore(
      AtomicObjectFactory factory,
      VersionSpace<T> space,
      HistoryLimits limits,
      Supplier<CompletionStage<byte[]>> highestSnapshot,
      boolean deltas,
      int mostOpen,
      long keptBytes,
      Duration timeout) {
    this.space = space;
    this.factory = factory;
    this.highestSnapshot = highestSnapshot;
    this.sequential = new OpenHistories(factory, space, limits, mostOpen, 0, null);
    this.histories = new OpenHistories(factory, space, limits, mostOpen, keptBytes, sequential);
    HistoryPartStore entries =
        new HistoryPartStore(factory.store(), factory.clockwork(), keptBytes, timeout);
    this.versionReader = new VersionReader<>(histories, histories, entries, space);
    this.sequentialReader = new VersionReader<>(sequential, histories, entries, space);
    this.additions = new VersionFeed<>(factory, versionReader, space, timeout);
    this.offloadExecutor =
        new OffloadExecutor<>(histories, entries, space, limits.shardSize(), deltas);
  }

  /**
   * Adds a version; reads a shard first if required.
   *
   * @param ofCache the retention of the cache; null if it keeps all versions
   */
  public CompletionStage<AdditionResult> add(
      String name, Addition addition, @Nullable Retention ofCache) {
    return snapshotIfNew(name)
        .thenCompose(
            snapshot ->
                add(
                    name,
                    snapshot.map(addition::withSnapshot).orElse(addition),
                    ofCache,
                    VersionReader.ATTEMPTS));
  }

  /**
   * The highest snapshot, if a history was created, which must record it. Empty if the history
   * existed.
   */
  private CompletionStage<Optional<byte[]>> snapshotIfNew(String name) {
    return histories
        .isNew(name)
        .thenCompose(
            isNew ->
                isNew
                    ? highestSnapshot.get().thenApply(Optional::of)
                    : CompletableFuture.completedFuture(Optional.empty()));
  }

  private CompletionStage<AdditionResult> add(
      String name, Addition addition, @Nullable Retention ofCache, int attempts) {
    return histories
        .<AdditionResult>change(name, h -> h.add(addition, ofCache))
        .thenCompose(
            additionResult ->
                switch (additionResult.result()) {
                  case READ_SHARD_FIRST ->
                      addAfterShardRead(name, addition, ofCache, additionResult, attempts);
                  case READ_SNAPSHOT_FIRST ->
                      highestSnapshot
                          .get()
                          .thenCompose(
                              snapshot ->
                                  add(name, addition.withSnapshot(snapshot), ofCache, attempts));
                  default -> offloadPlanned(name, additionResult);
                });
  }

  private CompletionStage<AdditionResult> addAfterShardRead(
      String name,
      Addition addition,
      @Nullable Retention ofCache,
      AdditionResult additionResult,
      int attempts) {
    ShardRef shard = Objects.requireNonNull(additionResult.shard(), "a shard must be named");
    if (attempts == 0) {
      return CompletableFuture.failedFuture(new HistoryReadException());
    }
    return versionReader
        .holds(additionResult.id(), shard, space.read(additionResult.version()))
        .thenCompose(
            holds ->
                holds.orElse(false)
                    ? CompletableFuture.completedFuture(additionResult.exists())
                    : add(
                        name,
                        holds.isPresent()
                            ? addition.withAbsence(additionResult.id(), shard.number())
                            : addition,
                        ofCache,
                        attempts - 1));
  }

  /**
   * Moves parts out of the entry in the background; the caller waits only if too many parts are
   * waiting.
   */
  private CompletionStage<AdditionResult> offloadPlanned(
      String name, AdditionResult additionResult) {
    if (!additionResult.planned()) {
      return CompletableFuture.completedFuture(additionResult);
    }
    CompletionStage<Void> done = offloadExecutor.offloadPlanned(name);
    return additionResult.full()
        ? done.handle((nothing, failure) -> additionResult)
        : CompletableFuture.completedFuture(additionResult);
  }

  /**
   * Adds versions in one step, up to the first that is refused. None may require a read of a shard.
   *
   * @param ofCache the retention of the cache; null if it keeps all versions
   */
  public CompletionStage<List<AdditionResult>> addAll(
      String name, List<Addition> additions, @Nullable Retention ofCache) {
    return snapshotIfNew(name)
        .thenCompose(
            snapshot ->
                snapshot.isPresent()
                    ? allAfter(name, additions, ofCache, snapshot.get())
                    : all(name, additions, ofCache));
  }

  private CompletionStage<List<AdditionResult>> allAfter(
      String name, List<Addition> additions, @Nullable Retention ofCache, byte[] snapshot) {
    return all(name, additions.stream().map(a -> a.withSnapshot(snapshot)).toList(), ofCache);
  }

  private CompletionStage<List<AdditionResult>> all(
      String name, List<Addition> additions, @Nullable Retention ofCache) {
    return histories
        .<List<AdditionResult>>change(name, h -> h.addAll(additions, ofCache))
        .thenCompose(
            all ->
                all.get(0).result() == Result.READ_SNAPSHOT_FIRST
                    ? highestSnapshot
                        .get()
                        .thenCompose(snapshot -> allAfter(name, additions, ofCache, snapshot))
                    : offloadPlanned(name, all.get(all.size() - 1)).thenApply(last -> all));
  }

  /** The result of a query. */
  public CompletionStage<Found<T>> find(String name, VersionQuery query, boolean withValues) {
    return find(name, query, withValues, Age.NOW);
  }

  /** The result of a query, present or recent. */
  public CompletionStage<Found<T>> find(
      String name, VersionQuery query, boolean withValues, Age age) {
    VersionReader<T> source = age == Age.NOW ? versionReader : sequentialReader;
    return source.read(name, query, withValues).thenApply(this::found);
  }

  /** Iterates over the names of histories with this prefix; blocks on the store. */
  public CloseableIterator<String> names(String prefix) {
    return ObjectKeys.names(factory.store(), prefix);
  }

  /** As {@link #find}; afterwards no version at or below {@code floor} can be added. */
  public CompletionStage<Found<T>> raise(String name, T floor, VersionQuery query) {
    return versionReader.raise(name, space.write(floor), query).thenApply(this::found);
  }

  private Found<T> found(VersionReader.Page<T> page) {
    LookupResult look = page.look();
    if (look == null) {
      return new Found<>(
          false, List.of(), List.of(), List.of(), Optional.empty(), Optional.empty(), List.of(), 0);
    }
    return new Found<>(
        true,
        page.items().stream().map(IndexEntry::version).toList(),
        page.items().stream().map(IndexEntry::sequence).toList(),
        page.values(),
        read(look.floor()),
        read(look.horizon()),
        look.heads().stream().map(space::read).toList(),
        look.lastSequence());
  }

  private Optional<T> read(byte @Nullable [] version) {
    return version == null ? Optional.empty() : Optional.of(space.read(version));
  }

  /**
   * Makes a call that changes a history in another way, then maintains the history as far as
   * possible; a failure of the maintenance is ignored, since the call has been applied.
   */
  public <R> CompletionStage<R> change(
      String name, Function<? super HistoryCalls, ? extends R> call) {
    return histories
        .<R>change(name, call)
        .thenCompose(result -> offloadExecutor.settle(name).handle((done, failure) -> result));
  }

  /** As {@link #change}, but fails if the maintenance fails: the call may then be repeated. */
  public <R> CompletionStage<R> settled(
      String name, Function<? super HistoryCalls, ? extends R> call) {
    return histories
        .<R>change(name, call)
        .thenCompose(result -> offloadExecutor.settle(name).thenApply(done -> result));
  }

  /** Moves parts out of the entry, and removes entries that are not referenced. */
  public CompletionStage<Void> offload(String name) {
    return offloadExecutor.settle(name);
  }

  /** The additions to the histories. */
  public VersionFeed<T> additions() {
    return additions;
  }

  /** Closes open histories, without waiting. */
  public void close() {
    additions.close();
    histories.close();
    sequential.close();
  }
}
