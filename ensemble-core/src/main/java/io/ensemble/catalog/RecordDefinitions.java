package io.ensemble.catalog;

import io.ensemble.catalog.CatalogException.Reason;
import io.ensemble.catalog.Records.Held;
import io.ensemble.catalog.Records.Kind;
import io.ensemble.site.Bytes;
import java.util.Optional;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Definitions of caches as records, wherever those are kept. Thread-safe; stages complete where
 * those of the {@link Records} do.
 */
public abstract sealed class RecordDefinitions implements Definitions, AutoCloseable
    permits FileDefinitions, InMemoryDefinitions, ZooKeeperDefinitions {

  private static final int TRIES = 5;

  private final Records records;

  RecordDefinitions(Records records) {
    this.records = records;
  }

  /** Lets go of what it holds open; nobody is to use it any more. */
  @Override
  public void close() {}

  /** The sites that the same catalog holds. */
  public final SiteEntries sites() {
    return new SiteEntries(records);
  }

  /** The tasks that the same catalog holds. */
  public final TaskEntries tasks() {
    return new TaskEntries(records);
  }

  @Override
  public final CompletionStage<String> id() {
    return records.id();
  }

  @Override
  public final CompletionStage<StoredDefinition> create(StoredDefinition wanted) {
    return create(wanted, TRIES);
  }

  private CompletionStage<StoredDefinition> create(StoredDefinition wanted, int tries) {
    String cache = wanted.definition().name();
    return get(cache)
        .thenCompose(
            found -> {
              if (found.isPresent()) {
                if (!found.get().definition().equals(wanted.definition())) {
                  throw new CacheExistsException(found.get().definition(), wanted.definition());
                }
                return CompletableFuture.completedFuture(found.get());
              }
              return records
                  .create(Kind.CACHE, cache, text(wanted))
                  .thenCompose(
                      created -> {
                        if (created) {
                          return CompletableFuture.completedFuture(wanted);
                        }
                        return tries > 1
                            ? create(wanted, tries - 1)
                            : CompletableFuture.failedFuture(Catalog.changed(cache));
                      });
            });
  }

  @Override
  public final CompletionStage<Optional<StoredDefinition>> get(String cache) {
    return records
        .get(Kind.CACHE, cache)
        .thenApply(held -> held.map(record -> parsed(cache, record)));
  }

  @Override
  public final CompletionStage<SortedSet<String>> list() {
    return records
        .list(Kind.CACHE)
        .thenCompose(
            names ->
                Gathered.all(names.stream().map(this::get).toList()).thenApply(readable -> names));
  }

  @Override
  public final CompletionStage<Boolean> replace(StoredDefinition changed) {
    String cache = changed.definition().name();
    return records
        .get(Kind.CACHE, cache)
        .thenCompose(
            held ->
                held.isPresent() && parsed(cache, held.get()).isBefore(changed)
                    ? records.replace(Kind.CACHE, cache, held.get(), text(changed))
                    : CompletableFuture.completedFuture(false));
  }

  @Override
  public final CompletionStage<Boolean> delete(StoredDefinition known) {
    String cache = known.definition().name();
    return records
        .get(Kind.CACHE, cache)
        .thenCompose(
            held ->
                held.isPresent() && parsed(cache, held.get()).isSameRecord(known)
                    ? records.delete(Kind.CACHE, cache, held.get())
                    : CompletableFuture.completedFuture(false));
  }

  private static Bytes text(StoredDefinition stored) {
    return Bytes.of(DefinitionText.write(stored));
  }

  private StoredDefinition parsed(String cache, Held held) {
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
          "a record is of another cache; wanted=%s found=%s where=%s"
              .formatted(cache, stored.definition().name(), records.where(Kind.CACHE, cache)));
    }
    return stored;
  }
}
