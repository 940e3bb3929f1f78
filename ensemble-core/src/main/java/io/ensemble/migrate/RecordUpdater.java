package io.ensemble.migrate;

import io.ensemble.CacheDeletedException;
import io.ensemble.cache.CompletionCause;
import io.ensemble.catalog.definition.Definitions;
import io.ensemble.catalog.definition.DistributedDefinitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.definition.StoredDistribution;
import io.ensemble.catalog.record.CatalogException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Changes the record of one cache by compare-and-set. A replacement whose response is lost is
 * decided by a read. Thread-safe.
 *
 * @param <R> the kind of record
 */
public final class RecordUpdater<R> {

  private static final int MOST_TRIES = 8;

  private final String cache;
  private final Supplier<CompletionStage<Optional<R>>> reader;
  private final Function<R, CompletionStage<Boolean>> replacer;
  private final Predicate<R> isSameBirth;
  private final Executor executor;

  private RecordUpdater(
      String cache,
      Supplier<CompletionStage<Optional<R>>> reader,
      Function<R, CompletionStage<Boolean>> replacer,
      Predicate<R> isSameBirth,
      Executor executor) {
    this.cache = cache;
    this.reader = reader;
    this.replacer = replacer;
    this.isSameBirth = isSameBirth;
    this.executor = executor;
  }

  /** An updater of the record of {@code known}'s birth; the executor completes its reads. */
  public static RecordUpdater<StoredDefinition> of(
      Definitions definitions, StoredDefinition known, Executor executor) {
    String cache = known.definition().name();
    return new RecordUpdater<>(
        cache, () -> definitions.get(cache), definitions::replace, known::isSameBirth, executor);
  }

  /** As for a cache, for a distributed cache. */
  public static RecordUpdater<StoredDistribution> of(
      DistributedDefinitions definitions, StoredDistribution known, Executor executor) {
    String cache = known.definition().name();
    return new RecordUpdater<>(
        cache, () -> definitions.get(cache), definitions::replace, known::isSameBirth, executor);
  }

  /** The present record. Fails with {@link CacheDeletedException} when there is none any more. */
  CompletionStage<R> readCurrent() {
    return reader
        .get()
        .thenApplyAsync(
            stored ->
                stored.filter(isSameBirth).orElseThrow(() -> new CacheDeletedException(cache)),
            executor);
  }

  /**
   * Replaces the record by {@code next}.
   *
   * @return {@code next}. Fails with {@link CatalogException}, with {@link
   *     CatalogException.Reason#CHANGED} when the catalog holds another record
   */
  public CompletionStage<R> publish(R next) {
    return replacer
        .apply(next)
        .handle(
            (isReplaced, failure) ->
                failure == null && isReplaced
                    ? CompletableFuture.completedFuture(next)
                    : reader
                        .get()
                        .thenApply(
                            stored -> { // Perhaps the record was stored despite the failure.
                              if (stored.filter(next::equals).isPresent()) {
                                return next;
                              }
                              if (failure != null) {
                                throw new CompletionException(CompletionCause.of(failure));
                              }
                              throw new CatalogException(
                                  CatalogException.Reason.CHANGED,
                                  "another process changed the record at the same time; cache="
                                      + cache);
                            }))
        .thenCompose(stage -> stage);
  }

  /**
   * Reads the present record and applies {@code change}, which publishes the next one. Begins again
   * when another process has changed the record meanwhile, up to eight times in all.
   */
  CompletionStage<R> publishWithRetry(Function<R, CompletionStage<R>> change) {
    return publishWithRetry(MOST_TRIES, change);
  }

  private CompletionStage<R> publishWithRetry(int tries, Function<R, CompletionStage<R>> change) {
    return readCurrent()
        .thenCompose(change)
        .handle(
            (stored, failure) -> {
              if (failure == null) {
                return CompletableFuture.completedFuture(stored);
              }
              Throwable cause = CompletionCause.of(failure);
              return isRaced(cause) && tries > 1
                  ? publishWithRetry(tries - 1, change)
                  : CompletableFuture.<R>failedFuture(cause);
            })
        .thenCompose(stage -> stage);
  }

  /** Whether another process changed the record first, so that the update had no effect. */
  private static boolean isRaced(Throwable failure) {
    return failure instanceof CatalogException exception
        && exception.reason() == CatalogException.Reason.CHANGED;
  }
}
