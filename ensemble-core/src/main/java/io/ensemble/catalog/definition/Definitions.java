package io.ensemble.catalog.definition;

import io.ensemble.catalog.record.CatalogException;
import io.ensemble.catalog.site.SiteEntries;
import java.util.Optional;
import java.util.SortedSet;
import java.util.concurrent.CompletionStage;

/**
 * The catalog of a federation: one {@link StoredDefinition} for each cache. Every call is atomic.
 * Stages may complete on any thread and fail with {@link CatalogException}, which says whether a
 * retry helps. Thread-safe.
 */
public interface Definitions {

  /**
   * Which catalog this is: 12 random hexadecimal digits, drawn once for the life of the catalog and
   * the same for all who use it. Births begin with it, and so it stands in the names of stores:
   * several catalogs may use the same sites, even with caches of the same name, and each removes
   * none but its own stores.
   */
  CompletionStage<String> id();

  /**
   * Stores the first record of a cache, or finds that it is there.
   *
   * @return what the catalog holds now: {@code wanted}, or an earlier record with an equal {@link
   *     StoredDefinition#definition()} (its birth and incarnations may differ). Fails with {@link
   *     CacheExistsException} when the cache is there with other settings, with {@link
   *     CatalogException} when a distributed one has its name
   */
  CompletionStage<StoredDefinition> create(StoredDefinition wanted);

  /** The record of a cache; empty when there is none, or it is distributed. */
  CompletionStage<Optional<StoredDefinition>> get(String cache);

  /** The names of all caches but distributed ones, sorted. */
  CompletionStage<SortedSet<String>> list();

  /**
   * All caches, distributed or not, in one read of each. A record that cannot be read keeps nobody
   * from the others; whoever may not overlook one looks at {@link Inventory#unreadable}.
   */
  CompletionStage<Inventory> inventory();

  /**
   * Replaces the record of the same birth and of revision {@code changed.revision() - 1}.
   *
   * @return false when that is not the present one, or the cache is gone; nothing was changed
   */
  CompletionStage<Boolean> replace(StoredDefinition changed);

  /**
   * Deletes a cache's record, if it still has {@code known}'s birth and revision.
   *
   * @return false when it has not, or the cache is gone
   */
  CompletionStage<Boolean> delete(StoredDefinition known);

  /** The distributed caches in the same catalog. */
  DistributedDefinitions distributions();

  /** The sites in the same catalog. */
  SiteEntries sites();

  /** Why caches of the same catalog are where they are. */
  PlacementRecords placements();
}
