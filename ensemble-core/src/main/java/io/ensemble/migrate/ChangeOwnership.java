package io.ensemble.migrate;

import io.ensemble.CacheDefinition;
import io.ensemble.CacheDeletedException;
import io.ensemble.ChangeInProgressException;
import io.ensemble.cache.CompletionCause;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.change.ChangePhase;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.stamp.WriterId;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * The changes that one mover makes to the record besides its actions: it takes a change over,
 * resigns, cancels or restarts it.
 *
 * @param made the record for which the mover was made: the mover touches no other change than the
 *     one in it
 */
record ChangeOwnership(MoverContext means, WriterId writer, StoredDefinition made) {

  private static final int MOST_TRIES = 8;

  /** The owner's name in records. */
  String owner() {
    return Mover.owner(writer);
  }

  String cache() {
    return made.definition().name();
  }

  /**
   * Whether the change in {@code now} is the one for which the mover was made, whichever owner it
   * has.
   */
  boolean isOf(StoredDefinition now) {
    Optional<CacheDefinition> to = made.change().map(ConfigurationChange::to);
    return to.isPresent()
        && to.equals(now.change().map(ConfigurationChange::to))
        && made.leadsFrom() == now.leadsFrom();
  }

  /** Whether this mover owns {@code change}. */
  boolean has(ConfigurationChange change) {
    return change.owner().equals(owner());
  }

  /** The record; fails when the cache no longer exists. */
  CompletionStage<StoredDefinition> present() {
    return means
        .definitions()
        .get(cache())
        .thenApplyAsync(
            present ->
                present
                    .filter(made::isSameBirth)
                    .orElseThrow(() -> new CacheDeletedException(cache())),
            means.scheduler());
  }

  CompletionStage<StoredDefinition> takeOver() {
    return published(MOST_TRIES, this::takeOver);
  }

  /** Takes the change over from its owner in {@code seen}, if that is still the record. */
  CompletionStage<StoredDefinition> takeOver(StoredDefinition seen) {
    ConfigurationChange change = seen.change().orElse(null);
    if (change == null) {
      return CompletableFuture.completedFuture(seen);
    }
    if (!isOf(seen)) {
      throw new ChangeInProgressException(seen.definition(), change.to());
    }
    boolean others = means.rules().takesOtherStores(change.step());
    ConfigurationChange mine =
        change.takenOver(
            owner(),
            others ? lives(change.to()) : change.incarnations(),
            others ? seen.newStores() : change.remains());
    return DefinitionUpdate.of(means.definitions(), seen.with(Optional.of(mine)));
  }

  /**
   * Resigns, if this mover owns the change and the change cannot wait: while it seals, no client is
   * served. During the first copy, a watching process finds out soon enough.
   */
  CompletionStage<StoredDefinition> resign() {
    return published(MOST_TRIES, this::resign);
  }

  private CompletionStage<StoredDefinition> resign(StoredDefinition now) {
    return now.change()
        .filter(this::has)
        .filter(change -> !means.rules().canCancel(change.step()))
        .map(
            change ->
                DefinitionUpdate.of(means.definitions(), now.with(Optional.of(change.resigned()))))
        .orElseGet(() -> CompletableFuture.completedFuture(now));
  }

  CompletionStage<StoredDefinition> cancel() {
    return published(MOST_TRIES, this::cancel);
  }

  CompletionStage<StoredDefinition> cancel(StoredDefinition now) {
    ConfigurationChange change = now.change().filter(present -> isOf(now)).orElse(null);
    if (change == null || !means.rules().canCancel(change.step())) {
      throw new IllegalStateException(
          ("a change can be cancelled only before it seals the former configuration; cache=%s "
                  + "step=%s")
              .formatted(cache(), change == null ? "over" : change.step()));
    }
    ConfigurationChange ending = change.ending(ChangePhase.ABORTING, now.newStores());
    return DefinitionUpdate.of(means.definitions(), now.with(Optional.of(ending)));
  }

  /**
   * Restarts the change with other new stores, if the stores for which the mover was made still
   * serve. Fails with {@link IllegalStateException}, without effect, if they do not.
   */
  CompletionStage<StoredDefinition> restart() {
    return published(MOST_TRIES, this::restart);
  }

  private CompletionStage<StoredDefinition> restart(StoredDefinition now) {
    ConfigurationChange change = now.change().filter(present -> isOf(now)).orElse(null);
    if (change == null
        || !means.rules().mayRestart(change.step())
        || !now.newStores().equals(made.newStores())) {
      throw new IllegalStateException(
          "the change has advanced, or was restarted already; cache=%s step=%s"
              .formatted(cache(), change == null ? "over" : change.step()));
    }
    ConfigurationChange anew = change.restarted(owner(), lives(change.to()), now.newStores());
    return DefinitionUpdate.of(means.definitions(), now.with(Optional.of(anew)));
  }

  /** Changes the present record, and retries when another process has changed it meanwhile. */
  private CompletionStage<StoredDefinition> published(
      int tries, Function<StoredDefinition, CompletionStage<StoredDefinition>> change) {
    return present()
        .thenCompose(change)
        .handle(
            (stored, failure) -> {
              if (failure == null) {
                return CompletableFuture.completedFuture(stored);
              }
              Throwable cause = CompletionCause.of(failure);
              return isRaced(cause) && tries > 1
                  ? published(tries - 1, change)
                  : CompletableFuture.<StoredDefinition>failedFuture(cause);
            })
        .thenCompose(stage -> stage);
  }

  /** Whether another process changed the record first, so that the update had no effect. */
  static boolean isRaced(Throwable failure) {
    return failure instanceof CatalogException why
        && why.reason() == CatalogException.Reason.CHANGED;
  }

  /** New incarnations for the stores of {@code to}. */
  Map<String, String> lives(CacheDefinition to) {
    return means.sites().lives(to, means.tokens());
  }
}
