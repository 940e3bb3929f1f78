package io.ensemble.migrate;

import io.ensemble.cache.CompletionCause;
import io.ensemble.catalog.definition.Definitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.catalog.record.CatalogException.Reason;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** Replaces the present record by the next one, and checks whether the replacement was stored. */
final class DefinitionUpdate {

  private DefinitionUpdate() {}

  /**
   * Replaces the record by {@code next}.
   *
   * @return {@code next}. Fails with {@link CatalogException}, with {@link Reason#CHANGED} when the
   *     catalog holds another record
   */
  static CompletionStage<StoredDefinition> of(Definitions definitions, StoredDefinition next) {
    return definitions
        .replace(next)
        .handle(
            (isReplaced, failure) -> {
              if (failure == null && isReplaced) {
                return CompletableFuture.completedFuture(next);
              }
              return definitions
                  .get(next.definition().name())
                  .thenApply(
                      stored -> { // Perhaps the record was stored despite the failure.
                        if (stored.filter(next::equals).isPresent()) {
                          return next;
                        }
                        if (failure != null) {
                          throw new CompletionException(CompletionCause.of(failure));
                        }
                        throw new CatalogException(
                            Reason.CHANGED,
                            "another process changed the definition at the same time; cache="
                                + next.definition().name());
                      });
            })
        .thenCompose(stage -> stage);
  }
}
