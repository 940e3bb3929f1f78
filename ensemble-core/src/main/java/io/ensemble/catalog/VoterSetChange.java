package io.ensemble.catalog;

import io.ensemble.SiteIncompleteException;
import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.DynamicQuorumEngine;
import io.ensemble.catalog.definition.Definitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.primary.VoterSet;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Site;
import io.ensemble.site.SiteStore;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * One change of the voter set: the present set ends at the site that has all writes, then the
 * record names the next set. After a crash in between the cache cannot be used until this change,
 * or another one, is completed; the next set is the same then.
 */
final class VoterSetChange {

  /** How often the record may change meanwhile without a change of the serving sites. */
  private static final int MOST_REBASED = 8;

  private final Definitions definitions;
  private final StoredDefinition before;
  private final DynamicQuorumEngine engine;
  private final Deadline deadline;

  VoterSetChange(
      Definitions definitions,
      StoredDefinition before,
      DynamicQuorumEngine engine,
      Deadline deadline) {
    this.definitions = definitions;
    this.before = before;
    this.engine = engine;
    this.deadline = deadline;
  }

  /**
   * Makes {@code place} count alone. Has no effect if it does and its voter set has not ended.
   *
   * @return the changed record
   */
  CompletionStage<StoredDefinition> alone(Site place) {
    VoterSet roll = before.roll();
    String site = place.name();
    String cache = before.definition().name();
    if (!roll.counts(site) || before.store(site).isEmpty()) {
      return CompletableFuture.failedFuture(new SiteIncompleteException(cache, site, roll.sites()));
    }
    return open(place)
        .thenCompose(
            store ->
                (roll.sites().size() > 1
                        ? CompletableFuture.completedFuture(true)
                        : engine.hasEnded(roll, store, deadline))
                    .thenCompose(
                        changes ->
                            changes
                                ? engine
                                    .end(roll, store, List.of(site), deadline)
                                    .thenCompose(
                                        next -> publish(before.goingOn(next), MOST_REBASED))
                                : CompletableFuture.completedFuture(before)));
  }

  /**
   * Ends the present voter set and returns the next one: {@code place} alone, or {@code place} and
   * {@code fresh}, which has a new store.
   */
  CompletionStage<VoterSet> together(Site place, String fresh) {
    return open(place)
        .thenCompose(
            store -> engine.end(before.roll(), store, List.of(place.name(), fresh), deadline));
  }

  /** Whether the present voter set has ended at {@code place}. */
  CompletionStage<Boolean> hasEnded(Site place) {
    return open(place).thenCompose(store -> engine.hasEnded(before.roll(), store, deadline));
  }

  private CompletionStage<SiteStore> open(Site place) {
    return place.open(
        before.store(place.name()).orElseThrow(), SiteHandle.kindOf(before.definition()), deadline);
  }

  private CompletionStage<StoredDefinition> publish(StoredDefinition after, int tries) {
    return definitions
        .replace(after)
        .handle(
            (replaced, thrown) ->
                thrown == null && replaced
                    ? CompletableFuture.completedFuture(after)
                    : refused(after, Optional.ofNullable(thrown), tries))
        .thenCompose(stage -> stage);
  }

  private CompletionStage<StoredDefinition> refused(
      StoredDefinition after, Optional<Throwable> thrown, int tries) {
    return definitions
        .get(after.definition().name())
        .thenCompose(
            present -> {
              if (present.filter(after::equals).isPresent()) {
                // The record was stored nevertheless.
                return CompletableFuture.completedFuture(present.get());
              }
              if (thrown.isPresent()) {
                return CompletableFuture.failedFuture(CompletionCause.of(thrown.get()));
              }
              return tries > 0 && present.filter(this::goesOn).isPresent()
                  ? publish(present.get().withStoresOf(after), tries - 1)
                  : CompletableFuture.failedFuture(Catalog.changed(after.definition().name()));
            });
  }

  /**
   * Whether only the leftovers of an ended change differ: its mover updates its heartbeat in the
   * record, and removes entries for removed stores. If another change has begun meanwhile, the
   * cache must not continue at one site.
   */
  private boolean goesOn(StoredDefinition now) {
    return before.isServedAsIn(now) && now.change().filter(c -> !c.isEnding()).isEmpty();
  }
}
