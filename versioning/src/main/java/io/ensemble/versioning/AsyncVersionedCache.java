package io.ensemble.versioning;

import io.ensemble.versioning.drive.Keyed;
import io.ensemble.versioning.drive.Keyed.Found;
import io.ensemble.versioning.drive.ReadingFailedException;
import io.ensemble.versioning.history.Added;
import io.ensemble.versioning.history.Addition;
import io.ensemble.versioning.history.HistoryCalls;
import io.ensemble.versioning.history.Query;
import io.ensemble.versioning.order.VersionSpace;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The asynchronous face of a {@link VersionedCache}: the same operations, whose stages complete on
 * the factory's executor, or fail with what the waiting ones throw. Thread-safe.
 */
public final class AsyncVersionedCache<K, V, T> {

  /** Below what a call of an atomic object, and its result, may be long. */
  private static final int LONGEST_VALUE = 240 << 10;

  final Keyed<T> keyed;
  final VersionSpace<T> space;
  final Names<K> names;
  final Form<V> values;
  private final boolean ordered;

  AsyncVersionedCache(
      Keyed<T> keyed, VersionSpace<T> space, Names<K> names, Form<V> values, boolean ordered) {
    this.keyed = keyed;
    this.space = space;
    this.names = names;
    this.values = values;
    this.ordered = ordered;
  }

  /** See {@link VersionedCache#add}. */
  public CompletionStage<T> add(K key, V value) {
    Objects.requireNonNull(value, "a value");
    return added(key, null, value, null).thenApply(added -> space.read(added.version()));
  }

  /** See {@link VersionedCache#put(Object, Object, Object)}. */
  public CompletionStage<Void> put(K key, V value, T version) {
    Objects.requireNonNull(value, "a value");
    Objects.requireNonNull(version, "a version");
    return added(key, version, value, null).thenApply(added -> null);
  }

  /** See {@link VersionedCache#addAll}. */
  public CompletionStage<Void> addAll(K key, List<Versioned<T, V>> all) {
    return guarded(key, new Bulk<>(this, keyed, space, names.of(key)).add(key, List.copyOf(all)));
  }

  /** A removal is a version, too. */
  CompletionStage<Added> added(
      K key, @Nullable T version, @Nullable V value, @Nullable List<T> expected) {
    Addition addition = addition(version, value, expected);
    return guarded(key, keyed.add(names.of(key), addition))
        .thenApply(
            added -> {
              if (version != null) {
                checkAdded(key, version, added);
              }
              if (added.result() == Added.Result.ADDED) {
                space.saw(space.read(added.version()));
              }
              return added;
            });
  }

  Addition addition(@Nullable T version, @Nullable V value, @Nullable List<T> expected) {
    return new Addition(
        version == null ? null : space.write(version),
        space.write(space.proposal()),
        value == null ? null : written(value),
        ordered,
        expected == null ? null : expected.stream().map(space::write).toList(),
        0);
  }

  private byte[] written(V value) {
    byte[] bytes = values.write().apply(value);
    if (bytes.length > LONGEST_VALUE) {
      throw new IllegalArgumentException(
          "a value of up to " + LONGEST_VALUE + " bytes is wanted; it has " + bytes.length);
    }
    return bytes;
  }

  void checkAdded(K key, T version, Added added) {
    switch (added.result()) {
      case EXISTS -> throw new VersioningException.VersionExists(key, version);
      case NOT_ABOVE ->
          throw new VersioningException.VersionNotAbove(key, version, space.read(added.version()));
      case BELOW_CUT ->
          throw new VersioningException.VersionBelowCut(key, version, space.read(added.version()));
      case COMPACTED ->
          throw new VersioningException.VersionCompacted(key, version, space.read(added.version()));
      case LOOK_FIRST -> throw new AssertionError("a shard is looked into before");
      case ADDED, UNEXPECTED -> {}
    }
  }

  /** See {@link VersionedCache#latest}. */
  public CompletionStage<Optional<Versioned<T, V>>> latest(K key) {
    return found(key, Query.last()).thenApply(AsyncVersionedCache::first);
  }

  /** See {@link VersionedCache#maximal}. */
  public CompletionStage<List<Versioned<T, V>>> maximal(K key) {
    return found(key, Query.maxima());
  }

  /** See {@link VersionedCache#get(Object, Object)}. */
  public CompletionStage<Optional<V>> get(K key, T version) {
    return guarded(key, keyed.find(names.of(key), Query.of(space.write(version)), true))
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

  /** See {@link VersionedCache#getRange}. */
  public CompletionStage<List<Versioned<T, V>>> getRange(K key, T from, T to) {
    checkRange(from, to);
    return found(key, Query.ALL.from(space.write(from), true).to(space.write(to), true));
  }

  /** See {@link VersionedCache#getPredecessor}. */
  public CompletionStage<Optional<Versioned<T, V>>> getPredecessor(K key, T version) {
    return found(key, Query.last().to(space.write(version), false))
        .thenApply(AsyncVersionedCache::first);
  }

  /** See {@link VersionedCache#getSuccessor}. */
  public CompletionStage<Optional<Versioned<T, V>>> getSuccessor(K key, T version) {
    return found(key, Query.ALL.limit(1).from(space.write(version), false))
        .thenApply(AsyncVersionedCache::first);
  }

  /** See {@link VersionedCache#versions}. */
  public CompletionStage<List<T>> versions(
      K key, @Nullable T from, @Nullable T to, int limit, boolean descending) {
    if (limit < 0) {
      throw new IllegalArgumentException("a limit of 0 or more is wanted; got " + limit);
    }
    if (from != null && to != null) {
      checkRange(from, to);
    }
    Query query = Query.ALL.limit(limit);
    query = from == null ? query : query.from(space.write(from), true);
    query = to == null ? query : query.to(space.write(to), true);
    query = descending ? query.descend() : query;
    return limit == 0
        ? CompletableFuture.completedFuture(List.of())
        : guarded(key, keyed.find(names.of(key), query, false)).thenApply(Found::versions);
  }

  private void checkRange(T from, T to) {
    if (space.compare(from, to) > 0) {
      throw new IllegalArgumentException(
          "a range begins at or below its end; got " + from + " to " + to);
    }
  }

  /** See {@link VersionedCache#asOf}. */
  public CompletionStage<Optional<Versioned<T, V>>> asOf(K key, T version) {
    checkLine("a cut");
    space.saw(version);
    Query query = Query.last().to(space.write(version), true);
    return guarded(
            key,
            keyed
                .find(names.of(key), query, true)
                .thenCompose(
                    found ->
                        isFixed(found, version)
                            ? CompletableFuture.completedFuture(found)
                            : keyed.raise(names.of(key), version, query)))
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

  private void checkLine(String what) {
    if (!space.isTotal()) {
      throw new UnsupportedOperationException(
          what + " wants versions of one line; the space is " + space.name());
    }
  }

  /** See {@link VersionedCache#compact}. */
  public CompletionStage<Void> compact(K key, T version) {
    Query query = Query.last().to(space.write(version), true);
    String name = names.of(key);
    return guarded(
        key,
        keyed
            .find(name, query, false)
            .thenCompose(
                found ->
                    found.versions().isEmpty()
                        ? CompletableFuture.completedFuture(null)
                        : keyed.change(
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
        .thenApply(added -> space.read(added.version()));
  }

  /** See {@link VersionedCache#resolve}. */
  public CompletionStage<Optional<Versioned<T, V>>> resolve(K key, BinaryOperator<V> merging) {
    return maximal(key)
        .thenCompose(
            all -> {
              if (all.size() < 2) {
                return CompletableFuture.completedFuture(first(all));
              }
              V merged = all.stream().flatMap(v -> v.value().stream()).reduce(merging).orElse(null);
              return added(key, null, merged, inOrder(all))
                  .thenCompose(
                      added ->
                          added.result() == Added.Result.UNEXPECTED
                              ? resolve(key, merging)
                              : CompletableFuture.completedFuture(
                                  Optional.of(
                                      new Versioned<>(
                                          space.read(added.version()),
                                          Optional.ofNullable(merged)))));
            });
  }

  /** Their versions, in the space's order. */
  private List<T> inOrder(List<Versioned<T, V>> all) {
    return all.stream().map(Versioned::version).sorted(space::compare).toList();
  }

  /** See {@link VersionedCache#purge}. */
  public CompletionStage<Void> purge(K key) {
    String name = names.of(key);
    return guarded(
        key,
        keyed
            .find(name, Query.last(), false)
            .thenCompose(
                found ->
                    found.exists()
                        ? keyed.change(name, AsyncVersionedCache::wiped)
                        : CompletableFuture.completedFuture(null)));
  }

  private static @Nullable Void wiped(HistoryCalls history) {
    history.wipe();
    return null;
  }

  /** See {@link VersionedCache#settle}. */
  public CompletionStage<Void> settle(K key) {
    return guarded(key, keyed.tend(names.of(key)));
  }

  private CompletionStage<List<Versioned<T, V>>> found(K key, Query query) {
    return guarded(key, keyed.find(names.of(key), query, true)).thenApply(this::versioned);
  }

  private List<Versioned<T, V>> versioned(Found<T> found) {
    List<Versioned<T, V>> all = new ArrayList<>();
    for (int i = 0; i < found.versions().size(); i++) {
      T version = found.versions().get(i);
      space.saw(version);
      all.add(new Versioned<>(version, found.values().get(i).map(values.read())));
    }
    return all;
  }

  private static <E> Optional<E> first(List<E> all) {
    return all.stream().findFirst();
  }

  /** What readings fail with, as one of ours. */
  private static <R> CompletionStage<R> guarded(Object key, CompletionStage<R> stage) {
    return stage
        .handle(
            (value, failure) -> {
              if (failure == null) {
                return CompletableFuture.completedFuture(value);
              }
              Throwable cause =
                  failure instanceof CompletionException && failure.getCause() != null
                      ? failure.getCause()
                      : failure;
              return CompletableFuture.<R>failedFuture(
                  cause instanceof ReadingFailedException
                      ? new VersioningException.TooManyChanges(key, cause)
                      : cause instanceof RuntimeException
                          ? cause
                          : new VersioningException.StoreUnavailable(key, cause));
            })
        .thenCompose(Function.identity());
  }

  /** Closes what is open, without waiting. */
  void close() {
    keyed.close();
  }
}
