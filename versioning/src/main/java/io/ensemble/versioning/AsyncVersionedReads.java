package io.ensemble.versioning;

import io.ensemble.objects.runtime.UnwrappedCause;
import io.ensemble.versioning.drive.CorruptEntryException;
import io.ensemble.versioning.drive.HistoryReadException;
import io.ensemble.versioning.drive.HistoryStore;
import io.ensemble.versioning.drive.HistoryStore.Found;
import io.ensemble.versioning.history.VersionQuery;
import io.ensemble.versioning.order.VersionSpace;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The asynchronous interface of {@link VersionedReads}: the same operations. The stages complete on
 * the executor of the factory, or fail with the exceptions of the blocking operations. Thread-safe.
 */
public sealed class AsyncVersionedReads<K, V, T> permits AsyncVersionedCache {

  final HistoryStore<T> historyStore;
  final VersionSpace<T> space;
  final HistoryNames<K> names;
  final BinaryCodec<V> values;
  private final HistoryStore.Age age;

  AsyncVersionedReads(
      HistoryStore<T> historyStore,
      VersionSpace<T> space,
      HistoryNames<K> names,
      BinaryCodec<V> values,
      HistoryStore.Age age) {
    this.historyStore = historyStore;
    this.space = space;
    this.names = names;
    this.values = values;
    this.age = age;
  }

  /** See {@link VersionedReads#latest}. */
  public CompletionStage<Optional<Versioned<T, V>>> latest(K key) {
    return found(key, VersionQuery.last()).thenApply(AsyncVersionedReads::first);
  }

  /** See {@link VersionedReads#heads}. */
  public CompletionStage<List<Versioned<T, V>>> heads(K key) {
    return found(key, VersionQuery.heads());
  }

  /** See {@link VersionedReads#get(Object, Object)}. */
  public CompletionStage<Optional<V>> get(K key, T version) {
    return guarded(key, find(key, VersionQuery.of(space.write(version)), true))
        .thenApply(
            found -> {
              if (found.versions().isEmpty()) {
                found
                    .horizon()
                    .filter(h -> space.compare(version, h) < 0)
                    .ifPresent(
                        h -> {
                          throw new VersioningException.VersionCompacted(key, version, h);
                        });
                throw new VersioningException.UnknownVersion(key, version);
              }
              return versioned(found).get(0).value();
            });
  }

  /** See {@link VersionedReads#getRange}. */
  public CompletionStage<List<Versioned<T, V>>> getRange(K key, T from, T to) {
    checkRange(from, to);
    return found(key, VersionQuery.ALL.from(space.write(from), true).to(space.write(to), true));
  }

  /** See {@link VersionedReads#getBetween}. */
  public CompletionStage<List<Versioned<T, V>>> getBetween(K key, Instant from, Instant to) {
    if (from.isAfter(to)) {
      throw new IllegalArgumentException(
          "the start of a range must not be after its end; got " + from + " to " + to);
    }
    T last = versionAt(to);
    VersionQuery query = VersionQuery.ALL.to(space.write(last), true);
    long before = millis(from) - 1; // The lower bound is excluded: it is the end of 1 ms before.
    return found(
        key,
        before < 0 ? query : query.from(space.write(space.lastAt(before).orElse(last)), false));
  }

  /** See {@link VersionedReads#versionAt}. */
  public T versionAt(Instant time) {
    return space
        .lastAt(millis(time))
        .orElseThrow(
            () ->
                new UnsupportedOperationException(
                    "a read by time requires versions that contain their time; the space is "
                        + space.name()));
  }

  /** A time beyond the range of milliseconds is one after, or before, all versions. */
  private static long millis(Instant time) {
    try {
      return time.toEpochMilli();
    } catch (ArithmeticException e) {
      return time.isAfter(Instant.EPOCH) ? Long.MAX_VALUE : -1;
    }
  }

  /** See {@link VersionedReads#getAsOf}. */
  public CompletionStage<AsOfResult<T, V>> getAsOf(K key, Instant time) {
    return getAtOrBelow(key, versionAt(time));
  }

  /** See {@link VersionedReads#getAtOrBelow}. */
  public CompletionStage<AsOfResult<T, V>> getAtOrBelow(K key, T version) {
    VersionQuery query = VersionQuery.last().to(space.write(version), true);
    return guarded(key, find(key, query, true))
        .thenCompose(
            found ->
                found.versions().isEmpty() && isCompacted(found, version)
                    ? oldest(key, version)
                    : CompletableFuture.completedFuture(AsOfResult.of(first(versioned(found)))));
  }

  private boolean isCompacted(Found<T> found, T version) {
    return found.horizon().filter(horizon -> space.compare(version, horizon) < 0).isPresent();
  }

  /** The key may have been purged since it was found to be compacted. */
  private CompletionStage<AsOfResult<T, V>> oldest(K key, T version) {
    return guarded(key, find(key, VersionQuery.ALL.limit(1), true))
        .thenApply(
            found -> {
              Optional<Versioned<T, V>> oldest = first(versioned(found));
              return oldest.isPresent() && isCompacted(found, version)
                  ? new AsOfResult.Compacted<>(oldest.get())
                  : AsOfResult.of(Optional.empty());
            });
  }

  /** See {@link VersionedReads#getRangePage}. */
  public CompletionStage<VersionPage<T, V>> getRangePage(
      K key, T from, T to, int limit, @Nullable T cursor) {
    checkTotalOrder("a range in pages");
    checkRange(from, to);
    if (limit < 1) {
      throw new IllegalArgumentException("limit must be 1 or more; got " + limit);
    }
    VersionQuery query = VersionQuery.ALL.to(space.write(to), true).limit(limit);
    boolean isBegun = cursor != null && space.compare(from, cursor) <= 0;
    query =
        isBegun
            ? query.from(space.write(Objects.requireNonNull(cursor)), false)
            : query.from(space.write(from), true);
    return found(key, query)
        .thenApply(
            versions ->
                new VersionPage<>(
                    versions,
                    versions.size() < limit
                        ? Optional.empty()
                        : Optional.of(versions.get(limit - 1).version())));
  }

  final void checkTotalOrder(String what) {
    if (!space.isTotal()) {
      throw new UnsupportedOperationException(
          what + " requires versions of a totally ordered space; the space is " + space.name());
    }
  }

  /** See {@link VersionedReads#getPredecessor}. */
  public CompletionStage<Optional<Versioned<T, V>>> getPredecessor(K key, T version) {
    return found(key, VersionQuery.last().to(space.write(version), false))
        .thenApply(AsyncVersionedReads::first);
  }

  /** See {@link VersionedReads#getSuccessor}. */
  public CompletionStage<Optional<Versioned<T, V>>> getSuccessor(K key, T version) {
    return found(key, VersionQuery.ALL.limit(1).from(space.write(version), false))
        .thenApply(AsyncVersionedReads::first);
  }

  /** See {@link VersionedReads#versions}. */
  public CompletionStage<List<T>> versions(
      K key, @Nullable T from, @Nullable T to, int limit, boolean descending) {
    if (limit < 0) {
      throw new IllegalArgumentException("limit must be 0 or more; got " + limit);
    }
    if (from != null && to != null) {
      checkRange(from, to);
    }
    VersionQuery query = VersionQuery.ALL.limit(limit);
    query = from == null ? query : query.from(space.write(from), true);
    query = to == null ? query : query.to(space.write(to), true);
    query = descending ? query.descend() : query;
    return limit == 0
        ? CompletableFuture.completedFuture(List.of())
        : guarded(key, find(key, query, false)).thenApply(this::seen);
  }

  private List<T> seen(Found<T> found) {
    found.versions().forEach(space::observe);
    return found.versions();
  }

  final void checkRange(T from, T to) {
    if (space.compare(from, to) > 0) {
      throw new IllegalArgumentException(
          "the start of a range must not be above its end; got " + from + " to " + to);
    }
  }

  final CompletionStage<List<Versioned<T, V>>> found(K key, VersionQuery query) {
    return guarded(key, find(key, query, true)).thenApply(this::versioned);
  }

  private CompletionStage<Found<T>> find(K key, VersionQuery query, boolean withValues) {
    return historyStore.find(names.of(key), query, withValues, age);
  }

  final List<Versioned<T, V>> versioned(Found<T> found) {
    List<Versioned<T, V>> all = new ArrayList<>();
    for (int i = 0; i < found.versions().size(); i++) {
      T version = found.versions().get(i);
      space.observe(version);
      all.add(new Versioned<>(version, found.values().get(i).map(values.read())));
    }
    return all;
  }

  static <E> Optional<E> first(List<E> all) {
    return all.stream().findFirst();
  }

  /** Converts failures of reads to a {@link VersioningException}. */
  static <R> CompletionStage<R> guarded(Object key, CompletionStage<R> stage) {
    return stage
        .handle(
            (value, failure) -> {
              if (failure == null) {
                return CompletableFuture.completedFuture(value);
              }
              Throwable cause = UnwrappedCause.of(failure);
              return CompletableFuture.<R>failedFuture(
                  cause instanceof HistoryReadException
                      ? new VersioningException.TooManyChanges(key, cause)
                      : cause instanceof CorruptEntryException
                          ? new VersioningException.PartUnreadable(key, cause)
                          : cause instanceof RuntimeException || cause instanceof Error
                              ? cause
                              : new VersioningException.StoreUnavailable(key, cause));
            })
        .thenCompose(Function.identity());
  }
}
