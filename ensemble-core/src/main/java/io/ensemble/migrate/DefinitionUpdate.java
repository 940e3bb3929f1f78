package io.ensemble.migrate;

import io.ensemble.cache.CompletionCause;
import io.ensemble.catalog.definition.Definitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.catalog.record.CatalogException.Reason;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** Puts the next record in the place of the present one, and finds out whether it is there. */
final class DefinitionUpdate {

  private DefinitionUpdate() {}

  /**
   * Replaces the record by {@code next}.
   *
   * @return {@code next}. Fails with {@link CatalogException}, with {@link Reason#CHANGED} when
   *     another record is there
   */
  static CompletionStage<StoredDefinition> of(Definitions definitions, StoredDefinition next) {
    return definitions
        .replace(next)
        .handle(
            (replaced, thrown) -> {
              if (thrown == null && replaced) {
                return CompletableFuture.completedFuture(next);
              }
              return definitions
                  .get(next.definition().name())
                  .thenApply(
                      present -> { // Perhaps it was stored all the same.
                        if (present.filter(next::equals).isPresent()) {
                          return next;
                        }
                        if (thrown != null) {
                          throw new CompletionException(CompletionCause.of(thrown));
                        }
                        throw new CatalogException(
                            Reason.CHANGED,
                            "somebody else changed the definition meanwhile; cache="
                                + next.definition().name());
                      });
            })
        .thenCompose(stage -> stage);
  }
}
