package io.ensemble.catalog.definition;

import io.ensemble.catalog.record.CatalogException;
import java.util.Optional;
import java.util.SortedSet;
import java.util.concurrent.CompletionStage;

/**
 * The distributed caches of a federation, which share one name space with its {@link Definitions}.
 * Every call is atomic. Stages may complete on any thread and fail with {@link CatalogException},
 * whose reason says whether a retry helps. Thread-safe.
 */
public interface DistributedDefinitions {

  /**
   * Stores the record of a distributed cache, or returns the existing one.
   *
   * @return the catalog's record: {@code wanted}, or an earlier record with an equal definition.
   *     Fails with {@link DistributionExistsException} if the cache exists with other settings, and
   *     with {@link CatalogException} if an ensemble cache has its name
   */
  CompletionStage<StoredDistribution> create(StoredDistribution wanted);

  /** The record of a distributed cache; empty if there is none. */
  CompletionStage<Optional<StoredDistribution>> get(String cache);

  /** The names of all distributed caches, sorted. */
  CompletionStage<SortedSet<String>> list();

  /**
   * Replaces the record of the same birth and of revision {@code changed.revision() - 1}.
   *
   * @return false if that is not the present record, or if the cache is gone; nothing was changed
   */
  CompletionStage<Boolean> replace(StoredDistribution changed);

  /**
   * Deletes a record, if it still equals {@code known}.
   *
   * @return false if it does not, or if it is gone
   */
  CompletionStage<Boolean> delete(StoredDistribution known);
}
