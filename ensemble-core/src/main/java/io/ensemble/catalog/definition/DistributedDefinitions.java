package io.ensemble.catalog.definition;

import io.ensemble.catalog.record.CatalogException;
import java.util.Optional;
import java.util.SortedSet;
import java.util.concurrent.CompletionStage;

/**
 * The distributed caches of a federation, in one space of names with its {@link Definitions}. Every
 * call is atomic. Stages may complete on any thread and fail with {@link CatalogException}, which
 * says whether a retry helps. Thread-safe.
 */
public interface DistributedDefinitions {

  /**
   * Stores the record of a distributed cache, or finds that it is there.
   *
   * @return what the catalog holds now: {@code wanted}, or an earlier record with an equal
   *     definition. Fails with {@link DistributionExistsException} when it is there with other
   *     settings, with {@link CatalogException} when an ensemble cache has its name
   */
  CompletionStage<StoredDistribution> create(StoredDistribution wanted);

  /** The record of a distributed cache; empty when there is none. */
  CompletionStage<Optional<StoredDistribution>> get(String cache);

  /** The names of all distributed caches, sorted. */
  CompletionStage<SortedSet<String>> list();

  /**
   * Replaces the record of the same birth and of revision {@code changed.revision() - 1}.
   *
   * @return false when that is not the present one, or the cache is gone; nothing was changed
   */
  CompletionStage<Boolean> replace(StoredDistribution changed);

  /**
   * Deletes a record, if it still is {@code known}.
   *
   * @return false when it is not, or is gone
   */
  CompletionStage<Boolean> delete(StoredDistribution known);
}
