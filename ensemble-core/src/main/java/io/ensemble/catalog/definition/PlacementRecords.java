package io.ensemble.catalog.definition;

import io.ensemble.catalog.record.CatalogException;
import io.ensemble.catalog.record.CatalogException.Reason;
import io.ensemble.catalog.record.CatalogRecords;
import io.ensemble.catalog.record.CatalogRecords.Kind;
import io.ensemble.catalog.record.CatalogRecords.VersionedRecord;
import io.ensemble.site.Bytes;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The recorded placements of caches, for diagnosis. They are separate records, because the record
 * of a cache is read repeatedly by all processes that have it open. Only explanations depend on
 * them. Stages may complete on any thread and fail with {@link CatalogException}. Thread-safe.
 */
public final class PlacementRecords {

  private final CatalogRecords records;

  PlacementRecords(CatalogRecords records) {
    this.records = records;
  }

  /** The placement of the last cache of that name; empty if it was not placed. */
  public CompletionStage<Optional<StoredPlacement>> get(String cache) {
    return records
        .get(Kind.PLACEMENT, cache)
        .thenApply(held -> held.map(record -> parsed(cache, record)));
  }

  /**
   * Records a placement, and replaces an earlier one.
   *
   * @return false if another process changed it at the same time; nothing was changed
   */
  public CompletionStage<Boolean> keep(StoredPlacement placement) {
    String cache = placement.wish().cache();
    Bytes text = Bytes.of(PlacementText.write(placement));
    return records
        .get(Kind.PLACEMENT, cache)
        .thenCompose(
            held ->
                held.isEmpty()
                    ? records.create(Kind.PLACEMENT, cache, text)
                    : records.replace(Kind.PLACEMENT, cache, held.get(), text));
  }

  /**
   * Removes the placement of the cache of that birth.
   *
   * @return false if there is none
   */
  public CompletionStage<Boolean> forget(String cache, String birth) {
    return records
        .get(Kind.PLACEMENT, cache)
        .thenCompose(
            held ->
                held.isPresent() && parsed(cache, held.get()).birth().equals(birth)
                    ? records.delete(Kind.PLACEMENT, cache, held.get())
                    : CompletableFuture.completedFuture(false));
  }

  private StoredPlacement parsed(String cache, VersionedRecord held) {
    try {
      return PlacementText.read(held.text().array());
    } catch (IllegalArgumentException e) {
      throw new CatalogException(
          Reason.CORRUPT,
          "a record cannot be read: %s; where=%s"
              .formatted(e.getMessage(), records.where(Kind.PLACEMENT, cache)),
          e);
    }
  }
}
