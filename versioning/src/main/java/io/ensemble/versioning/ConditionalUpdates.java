package io.ensemble.versioning;

import io.ensemble.versioning.drive.HistoryReadException;
import io.ensemble.versioning.history.AdditionResult;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Additions that depend on the present versions. An update costs one read and one step, repeated up
 * to a bound if other additions intervene.
 */
record ConditionalUpdates<K, V, T>(AsyncVersionedCache<K, V, T> cache) {

  /** The maximum number of attempts of one update. */
  private static final int ATTEMPTS = 256;

  /** See {@link VersionedCache#resolve}. */
  CompletionStage<Optional<Versioned<T, V>>> resolve(K key, BinaryOperator<V> merging) {
    return decided(
        key,
        all -> {
          if (all.size() < 2) {
            return UpdateDecision.keep(AsyncVersionedReads.first(all));
          }
          V merged = all.stream().flatMap(v -> v.value().stream()).reduce(merging).orElse(null);
          return UpdateDecision.write(merged, Optional.empty());
        },
        (version, merged) ->
            Optional.of(new Versioned<>(version, Optional.ofNullable(merged.value()))));
  }

  /**
   * Adds the version that {@code deciding} returns for the present heads (versions with no version
   * above them), atomically with their read.
   *
   * @param result computes the result from the added version
   */
  <R> CompletionStage<R> decided(
      K key,
      Function<List<Versioned<T, V>>, UpdateDecision<V, R>> deciding,
      BiFunction<T, UpdateDecision<V, R>, R> result) {
    return decided(key, deciding, result, ATTEMPTS);
  }

  private <R> CompletionStage<R> decided(
      K key,
      Function<List<Versioned<T, V>>, UpdateDecision<V, R>> deciding,
      BiFunction<T, UpdateDecision<V, R>, R> result,
      int attempts) {
    if (attempts == 0) {
      return CompletableFuture.failedFuture(
          new VersioningException.TooManyChanges(
              key,
              new HistoryReadException(
                  "other clients wrote the key at each of " + ATTEMPTS + " attempts")));
    }
    return cache
        .heads(key)
        .thenCompose(
            all -> {
              UpdateDecision<V, R> decision = deciding.apply(all);
              if (!decision.writes()) {
                return CompletableFuture.completedFuture(decision.result());
              }
              return cache
                  .added(key, null, decision.value(), inOrder(all))
                  .thenCompose(
                      added ->
                          added.result() == AdditionResult.Result.UNEXPECTED
                              ? decided(key, deciding, result, attempts - 1)
                              : CompletableFuture.completedFuture(
                                  result.apply(cache.space.read(added.version()), decision)));
            });
  }

  /**
   * Adds the version that {@code deciding} returns for the latest value, null where there is none,
   * atomically with its read.
   */
  <R> CompletionStage<R> changed(K key, Function<@Nullable V, UpdateDecision<V, R>> deciding) {
    return decided(
        key,
        all ->
            deciding.apply(AsyncVersionedReads.first(all).flatMap(Versioned::value).orElse(null)),
        (version, decision) -> decision.result());
  }

  /** The versions in the order of the space. */
  private List<T> inOrder(List<Versioned<T, V>> all) {
    return all.stream().map(Versioned::version).sorted(cache.space::compare).toList();
  }
}
