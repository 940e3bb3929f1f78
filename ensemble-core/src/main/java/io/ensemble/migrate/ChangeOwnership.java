package io.ensemble.migrate;

import io.ensemble.CacheDefinition;
import io.ensemble.ChangeInProgressException;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.change.ChangePhase;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.stamp.WriterId;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The changes that one mover makes to the record besides its actions: it takes a change over,
 * resigns, cancels or restarts it.
 *
 * @param initial the record for which the mover was made: the mover touches no other change than
 *     the one in it
 */
record ChangeOwnership(MoverContext moverContext, WriterId writer, StoredDefinition initial) {

  /** The owner's name in records. */
  String owner() {
    return Mover.owner(writer);
  }

  String cache() {
    return initial.definition().name();
  }

  /**
   * Whether the change in {@code now} is the one for which the mover was made, whichever owner it
   * has.
   */
  boolean isOf(StoredDefinition now) {
    Optional<CacheDefinition> to = initial.change().map(ConfigurationChange::to);
    return to.isPresent()
        && to.equals(now.change().map(ConfigurationChange::to))
        && initial.leadsFrom() == now.leadsFrom();
  }

  /** Whether this mover owns {@code change}. */
  boolean isOwnerOf(ConfigurationChange change) {
    return change.owner().equals(owner());
  }

  private RecordUpdater<StoredDefinition> updater() {
    return RecordUpdater.of(moverContext.definitions(), initial, moverContext.scheduler());
  }

  /** The record; fails when the cache no longer exists. */
  CompletionStage<StoredDefinition> readCurrent() {
    return updater().readCurrent();
  }

  /** Replaces the record by {@code next}, as {@link RecordUpdater#publish} does. */
  CompletionStage<StoredDefinition> publish(StoredDefinition next) {
    return updater().publish(next);
  }

  CompletionStage<StoredDefinition> takeOver() {
    return updater().publishWithRetry(this::takeOver);
  }

  /** Takes the change over from its owner in {@code stored}, if that is still the record. */
  CompletionStage<StoredDefinition> takeOver(StoredDefinition stored) {
    ConfigurationChange change = stored.change().orElse(null);
    if (change == null) {
      return CompletableFuture.completedFuture(stored);
    }
    if (!isOf(stored)) {
      throw new ChangeInProgressException(stored.definition(), change.to());
    }
    boolean takesOtherStores = moverContext.rules().takesOtherStores(change.step());
    ConfigurationChange takenChange =
        change.takenOver(
            owner(),
            takesOtherStores ? newIncarnations(change.to()) : change.incarnations(),
            takesOtherStores ? stored.newStores() : change.remains());
    return publish(stored.with(Optional.of(takenChange)));
  }

  /**
   * Resigns, if this mover owns the change and the change cannot wait: while it seals, no client is
   * served. During the first copy, a watching process finds out soon enough.
   */
  CompletionStage<StoredDefinition> resign() {
    return updater().publishWithRetry(this::resign);
  }

  private CompletionStage<StoredDefinition> resign(StoredDefinition now) {
    return now.change()
        .filter(this::isOwnerOf)
        .filter(change -> !moverContext.rules().canCancel(change.step()))
        .map(change -> publish(now.with(Optional.of(change.resigned()))))
        .orElseGet(() -> CompletableFuture.completedFuture(now));
  }

  CompletionStage<StoredDefinition> cancel() {
    return updater().publishWithRetry(this::cancel);
  }

  CompletionStage<StoredDefinition> cancel(StoredDefinition now) {
    ConfigurationChange change = now.change().filter(present -> isOf(now)).orElse(null);
    if (change == null || !moverContext.rules().canCancel(change.step())) {
      throw new IllegalStateException(
          ("a change can be cancelled only before it seals the former configuration; cache=%s "
                  + "step=%s")
              .formatted(cache(), change == null ? "over" : change.step()));
    }
    ConfigurationChange ending = change.ending(ChangePhase.ABORTING, now.newStores());
    return publish(now.with(Optional.of(ending)));
  }

  /**
   * Restarts the change with other new stores, if the stores for which the mover was made still
   * serve. Fails with {@link IllegalStateException}, without effect, if they do not.
   */
  CompletionStage<StoredDefinition> restart() {
    return updater().publishWithRetry(this::restart);
  }

  private CompletionStage<StoredDefinition> restart(StoredDefinition now) {
    ConfigurationChange change = now.change().filter(present -> isOf(now)).orElse(null);
    if (change == null
        || !moverContext.rules().mayRestart(change.step())
        || !now.newStores().equals(initial.newStores())) {
      throw new IllegalStateException(
          "the change has advanced, or was restarted already; cache=%s step=%s"
              .formatted(cache(), change == null ? "over" : change.step()));
    }
    ConfigurationChange restartedChange =
        change.restarted(owner(), newIncarnations(change.to()), now.newStores());
    return publish(now.with(Optional.of(restartedChange)));
  }

  /** New incarnations for the stores of {@code to}. */
  Map<String, String> newIncarnations(CacheDefinition to) {
    return moverContext.sites().lives(to, moverContext.tokens());
  }
}
