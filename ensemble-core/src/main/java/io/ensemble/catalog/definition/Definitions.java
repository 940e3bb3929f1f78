package io.ensemble.catalog.definition;

import io.ensemble.catalog.record.CatalogException;
import io.ensemble.catalog.site.SiteEntries;
import java.util.Optional;
import java.util.SortedSet;
import java.util.concurrent.CompletionStage;

/**
 * The catalog of a federation: one {@link StoredDefinition} for each cache. Every call is atomic.
 * Stages may complete on any thread and fail with {@link CatalogException}, whose reason says
 * whether a retry helps. Thread-safe.
 */
public interface Definitions {

  /**
   * The identity of the catalog: 12 random hexadecimal digits, drawn once for the life of the
   * catalog and the same for all its clients. Births begin with the id, so the names of stores
   * contain it. Several catalogs may therefore use the same sites, even with caches of the same
   * name, and each removes only its own stores.
   */
  CompletionStage<String> id();

  /**
   * Stores the first record of a cache, or returns the existing one.
   *
   * @return the catalog's record: {@code wanted}, or an earlier record with an equal {@link
   *     StoredDefinition#definition()}, whose birth and incarnations may differ. Fails with {@link
   *     CacheExistsException} if the cache exists with other settings, and with {@link
   *     CatalogException} if a distributed cache has its name
   */
  CompletionStage<StoredDefinition> create(StoredDefinition wanted);

  /** The record of a cache; empty if there is none, or if the cache is distributed. */
  CompletionStage<Optional<StoredDefinition>> get(String cache);

  /** The names of all caches except distributed ones, sorted. */
  CompletionStage<SortedSet<String>> list();

  /**
   * All caches, distributed or not, in one read of each. An unreadable record does not prevent the
   * others from being read. A caller that must not miss one checks {@link Inventory#unreadable}.
   */
  CompletionStage<Inventory> inventory();

  /**
   * Replaces the record of the same birth and of revision {@code changed.revision() - 1}.
   *
   * @return false if that is not the present record, or if the cache is gone; nothing was changed
   */
  CompletionStage<Boolean> replace(StoredDefinition changed);

  /**
   * Deletes a cache's record, if it still has {@code known}'s birth and revision.
   *
   * @return false if it has not, or if the cache is gone
   */
  CompletionStage<Boolean> delete(StoredDefinition known);

  /** The distributed caches in the same catalog. */
  DistributedDefinitions distributions();

  /** The sites in the same catalog. */
  SiteEntries sites();

  /** The recorded placements of caches in the same catalog. */
  PlacementRecords placements();
}
