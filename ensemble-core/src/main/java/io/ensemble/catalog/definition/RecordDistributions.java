package io.ensemble.catalog.definition;

import io.ensemble.catalog.record.CatalogException;
import io.ensemble.catalog.record.CatalogException.Reason;
import io.ensemble.catalog.record.CatalogRecords;
import io.ensemble.catalog.record.CatalogRecords.Kind;
import io.ensemble.catalog.record.CatalogRecords.VersionedRecord;
import io.ensemble.catalog.record.RecordText;
import io.ensemble.catalog.record.StageList;
import io.ensemble.site.Bytes;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Distributed caches as records of the same kind as other caches, and so in the same name space;
 * the first line of a record distinguishes them. Thread-safe; stages complete where those of the
 * {@link CatalogRecords} do.
 */
final class RecordDistributions implements DistributedDefinitions {

  private final CatalogRecords records;

  RecordDistributions(CatalogRecords records) {
    this.records = records;
  }

  @Override
  public CompletionStage<StoredDistribution> create(StoredDistribution wanted) {
    return RecordCreation.of(
        records, wanted.definition().name(), wanted, text(wanted), held -> agreed(wanted, held));
  }

  private StoredDistribution agreed(StoredDistribution wanted, VersionedRecord held) {
    String cache = wanted.definition().name();
    if (isOfAnEnsembleCache(held)) {
      throw new CatalogException(
          Reason.EXISTS, "an Ensemble cache that is not distributed has this name; cache=" + cache);
    }
    StoredDistribution present = parsed(cache, held);
    if (!present.definition().equals(wanted.definition())) {
      throw new DistributionExistsException(present.definition(), wanted.definition());
    }
    return present;
  }

  @Override
  public CompletionStage<Optional<StoredDistribution>> get(String cache) {
    return records
        .get(Kind.CACHE, cache)
        .thenApply(
            held ->
                held.filter(record -> !isOfAnEnsembleCache(record))
                    .map(record -> parsed(cache, record)));
  }

  @Override
  public CompletionStage<SortedSet<String>> list() {
    return records
        .list(Kind.CACHE)
        .thenCompose(names -> StageList.all(names.stream().map(this::get).toList()))
        .thenApply(
            found -> {
              SortedSet<String> distributed = new TreeSet<>();
              found.forEach(
                  stored -> stored.ifPresent(one -> distributed.add(one.definition().name())));
              return distributed;
            });
  }

  @Override
  public CompletionStage<Boolean> replace(StoredDistribution changed) {
    String cache = changed.definition().name();
    return records
        .get(Kind.CACHE, cache)
        .thenCompose(
            held ->
                held.isPresent()
                        && !isOfAnEnsembleCache(held.get())
                        && parsed(cache, held.get()).isBefore(changed)
                    ? records.replace(Kind.CACHE, cache, held.get(), text(changed))
                    : CompletableFuture.completedFuture(false));
  }

  @Override
  public CompletionStage<Boolean> delete(StoredDistribution known) {
    String cache = known.definition().name();
    return records
        .get(Kind.CACHE, cache)
        .thenCompose(
            held ->
                held.isPresent()
                        && !isOfAnEnsembleCache(held.get())
                        && parsed(cache, held.get()).equals(known)
                    ? records.delete(Kind.CACHE, cache, held.get())
                    : CompletableFuture.completedFuture(false));
  }

  /** A record of neither kind is not skipped, so that it is reported. */
  private static boolean isOfAnEnsembleCache(VersionedRecord held) {
    return RecordText.isOf(DefinitionText.FORMATS, held.text().array());
  }

  private static Bytes text(StoredDistribution stored) {
    return Bytes.of(DistributionText.write(stored));
  }

  StoredDistribution parsed(String cache, VersionedRecord held) {
    String where = records.where(Kind.CACHE, cache);
    StoredDistribution stored;
    try {
      stored = DistributionText.read(held.text().array());
    } catch (IllegalArgumentException e) {
      throw new CatalogException(
          Reason.CORRUPT,
          "a record cannot be read: %s; where=%s".formatted(e.getMessage(), where),
          e);
    }
    if (!stored.definition().name().equals(cache)) {
      throw new CatalogException(
          Reason.CORRUPT,
          "record belongs to another cache; expected=%s found=%s where=%s"
              .formatted(cache, stored.definition().name(), where));
    }
    return stored;
  }
}
