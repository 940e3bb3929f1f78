package io.ensemble.catalog.definition;

import io.ensemble.catalog.record.CatalogException;
import io.ensemble.catalog.record.CatalogException.Reason;
import io.ensemble.catalog.record.CatalogRecords;
import io.ensemble.catalog.record.CatalogRecords.Kind;
import io.ensemble.catalog.record.CatalogRecords.VersionedRecord;
import io.ensemble.catalog.record.ParsedRecords;
import io.ensemble.catalog.record.RecordText;
import io.ensemble.catalog.record.StageList;
import io.ensemble.catalog.site.SiteEntries;
import io.ensemble.catalog.task.TaskEntries;
import io.ensemble.site.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Definitions of caches as records, in any storage. Thread-safe; stages complete where those of the
 * {@link CatalogRecords} do.
 */
public abstract sealed class RecordDefinitions implements Definitions, AutoCloseable
    permits FileDefinitions, InMemoryDefinitions, ZooKeeperDefinitions {

  private final CatalogRecords records;
  private final RecordDistributions distributions;

  RecordDefinitions(CatalogRecords records) {
    this.records = records;
    this.distributions = new RecordDistributions(records);
  }

  /** Releases the resources of the catalog, which must not be used afterwards. */
  @Override
  public void close() {}

  @Override
  public final SiteEntries sites() {
    return new SiteEntries(records);
  }

  /** The tasks in the same catalog. */
  public final TaskEntries tasks() {
    return new TaskEntries(records);
  }

  @Override
  public final PlacementRecords placements() {
    return new PlacementRecords(records);
  }

  @Override
  public final DistributedDefinitions distributions() {
    return distributions;
  }

  @Override
  public final CompletionStage<String> id() {
    return records.id();
  }

  @Override
  public final CompletionStage<StoredDefinition> create(StoredDefinition wanted) {
    return RecordCreation.of(
        records, wanted.definition().name(), wanted, text(wanted), held -> agreed(wanted, held));
  }

  private StoredDefinition agreed(StoredDefinition wanted, VersionedRecord held) {
    String cache = wanted.definition().name();
    if (isDistributed(held)) {
      throw new CatalogException(
          Reason.EXISTS, "a distributed cache has this name; cache=" + cache);
    }
    StoredDefinition present = parsed(cache, held);
    if (!present.definition().equals(wanted.definition())) {
      throw new CacheExistsException(present.definition(), wanted.definition());
    }
    return present;
  }

  @Override
  public final CompletionStage<Optional<StoredDefinition>> get(String cache) {
    return one(cache).thenApply(held -> held.map(record -> parsed(cache, record)));
  }

  /** The record of that name if it belongs to an ensemble cache, not to a distributed one. */
  private CompletionStage<Optional<VersionedRecord>> one(String cache) {
    return records
        .get(Kind.CACHE, cache)
        .thenApply(held -> held.filter(record -> !isDistributed(record)));
  }

  @Override
  public final CompletionStage<SortedSet<String>> list() {
    return records
        .list(Kind.CACHE)
        .thenCompose(names -> StageList.all(names.stream().map(this::get).toList()))
        .thenApply(
            found -> {
              SortedSet<String> names = new TreeSet<>();
              found.forEach(stored -> stored.ifPresent(one -> names.add(one.definition().name())));
              return names;
            });
  }

  @Override
  public final CompletionStage<Inventory> inventory() {
    List<StoredDefinition> caches = new ArrayList<>();
    List<StoredDistribution> distributed = new ArrayList<>();
    return records
        .list(Kind.CACHE)
        .thenCompose(names -> ParsedRecords.of(List.copyOf(names), this::whichever))
        .thenApply(
            all -> {
              for (CacheRecord one : all.entries()) {
                one.plain().ifPresent(caches::add);
                one.distributed().ifPresent(distributed::add);
              }
              return new Inventory(caches, distributed, all.unreadable());
            });
  }

  /** A record of either kind. */
  private record CacheRecord(
      Optional<StoredDefinition> plain, Optional<StoredDistribution> distributed) {}

  private CompletionStage<Optional<CacheRecord>> whichever(String cache) {
    return records
        .get(Kind.CACHE, cache)
        .thenApply(
            held ->
                held.map(
                    record ->
                        isDistributed(record)
                            ? new CacheRecord(
                                Optional.empty(), Optional.of(distributions.parsed(cache, record)))
                            : new CacheRecord(
                                Optional.of(parsed(cache, record)), Optional.empty())));
  }

  @Override
  public final CompletionStage<Boolean> replace(StoredDefinition changed) {
    String cache = changed.definition().name();
    return one(cache)
        .thenCompose(
            held ->
                held.isPresent() && parsed(cache, held.get()).isBefore(changed)
                    ? records.replace(Kind.CACHE, cache, held.get(), text(changed))
                    : CompletableFuture.completedFuture(false));
  }

  @Override
  public final CompletionStage<Boolean> delete(StoredDefinition known) {
    String cache = known.definition().name();
    return one(cache)
        .thenCompose(
            held ->
                held.isPresent() && parsed(cache, held.get()).isSameRecord(known)
                    ? records.delete(Kind.CACHE, cache, held.get())
                    : CompletableFuture.completedFuture(false));
  }

  /** A record of neither kind is not skipped, so that it is reported. */
  private static boolean isDistributed(VersionedRecord held) {
    return RecordText.isOf(DistributionText.FORMATS, held.text().array());
  }

  private static Bytes text(StoredDefinition stored) {
    return Bytes.of(DefinitionText.write(stored));
  }

  private StoredDefinition parsed(String cache, VersionedRecord held) {
    StoredDefinition stored;
    try {
      stored = DefinitionText.read(held.text().array());
    } catch (IllegalArgumentException e) {
      throw new CatalogException(
          Reason.CORRUPT,
          "a record cannot be read: %s; where=%s"
              .formatted(e.getMessage(), records.where(Kind.CACHE, cache)),
          e);
    }
    if (!stored.definition().name().equals(cache)) {
      throw new CatalogException(
          Reason.CORRUPT,
          "record belongs to another cache; expected=%s found=%s where=%s"
              .formatted(cache, stored.definition().name(), records.where(Kind.CACHE, cache)));
    }
    return stored;
  }
}
