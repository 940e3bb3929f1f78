package io.ensemble.catalog;

import io.ensemble.SiteIncompleteException;
import io.ensemble.cache.Enrolled;
import io.ensemble.cache.Unwrapped;
import io.ensemble.primary.Roll;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Site;
import io.ensemble.site.SiteStore;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * One change of the sites that count: the present roll ends at the site that has all, then the
 * record names the next. A crash between leaves a cache that nobody can use until this, or another
 * change, is done; the next roll is the same then.
 */
final class RollChange {

  private final Definitions definitions;
  private final StoredDefinition before;
  private final Enrolled engine;
  private final Deadline deadline;

  RollChange(Definitions definitions, StoredDefinition before, Enrolled engine, Deadline deadline) {
    this.definitions = definitions;
    this.before = before;
    this.engine = engine;
    this.deadline = deadline;
  }

  /**
   * {@code place} counts alone. Without effect when it does and its roll has not ended.
   *
   * @return the record that says so
   */
  CompletionStage<StoredDefinition> alone(Site place) {
    Roll roll = before.roll();
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
                                    .thenCompose(next -> publish(before.goingOn(next)))
                                : CompletableFuture.completedFuture(before)));
  }

  /**
   * The roll that counts {@code fresh} too, once the present one, of {@code place} alone, ended.
   */
  CompletionStage<Roll> together(Site place, String fresh) {
    return open(place)
        .thenCompose(
            store -> engine.end(before.roll(), store, List.of(place.name(), fresh), deadline));
  }

  private CompletionStage<SiteStore> open(Site place) {
    return place.open(
        before.store(place.name()).orElseThrow(), SiteHandle.kindOf(before.definition()), deadline);
  }

  private CompletionStage<StoredDefinition> publish(StoredDefinition after) {
    return definitions
        .replace(after)
        .handle(
            (replaced, thrown) -> {
              if (thrown == null && replaced) {
                return CompletableFuture.completedFuture(after);
              }
              return definitions
                  .get(after.definition().name())
                  .thenApply(
                      present -> { // Perhaps it was stored all the same.
                        if (present.filter(after::equals).isPresent()) {
                          return after;
                        }
                        throw thrown == null
                            ? Catalog.changed(after.definition().name())
                            : new CompletionException(Unwrapped.of(thrown));
                      });
            })
        .thenCompose(stage -> stage);
  }
}
