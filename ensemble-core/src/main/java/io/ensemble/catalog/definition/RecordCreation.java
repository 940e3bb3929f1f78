package io.ensemble.catalog.definition;

import io.ensemble.catalog.Catalog;
import io.ensemble.catalog.record.CatalogRecords;
import io.ensemble.catalog.record.CatalogRecords.Kind;
import io.ensemble.catalog.record.CatalogRecords.VersionedRecord;
import io.ensemble.site.Bytes;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** Creates the record of a cache, of either kind, or returns an equal one that exists. */
final class RecordCreation {

  private static final int TRIES = 5;

  private RecordCreation() {}

  /**
   * Creates the record.
   *
   * @param wanted the content of {@code text}
   * @param agreed parses an existing record; throws if it differs from {@code wanted}
   */
  static <T> CompletionStage<T> of(
      CatalogRecords records,
      String cache,
      T wanted,
      Bytes text,
      Function<VersionedRecord, T> agreed) {
    return of(records, cache, wanted, text, agreed, TRIES);
  }

  private static <T> CompletionStage<T> of(
      CatalogRecords records,
      String cache,
      T wanted,
      Bytes text,
      Function<VersionedRecord, T> agreed,
      int tries) {
    return records
        .get(Kind.CACHE, cache)
        .thenCompose(
            held -> {
              if (held.isPresent()) {
                return CompletableFuture.completedFuture(agreed.apply(held.get()));
              }
              return records
                  .create(Kind.CACHE, cache, text)
                  .thenCompose(
                      created -> {
                        if (created) {
                          return CompletableFuture.completedFuture(wanted);
                        }
                        return tries > 1
                            ? of(records, cache, wanted, text, agreed, tries - 1)
                            : CompletableFuture.failedFuture(Catalog.changed(cache));
                      });
            });
  }
}
