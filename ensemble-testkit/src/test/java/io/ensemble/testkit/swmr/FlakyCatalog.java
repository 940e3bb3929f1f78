package io.ensemble.testkit.swmr;

import io.ensemble.catalog.definition.Definitions;
import io.ensemble.catalog.definition.DistributedDefinitions;
import io.ensemble.catalog.definition.Inventory;
import io.ensemble.catalog.definition.PlacementRecords;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.catalog.site.SiteEntries;
import java.util.Optional;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * A catalog that one process cannot reach at times.
 *
 * @param away whether the catalog is unreachable at the moment
 */
public record FlakyCatalog(Definitions all, BooleanSupplier away) implements Definitions {

  private <T> CompletionStage<T> unlessAway(Supplier<CompletionStage<T>> call) {
    return away.getAsBoolean()
        ? CompletableFuture.failedFuture(
            new CatalogException(CatalogException.Reason.UNAVAILABLE, "away"))
        : call.get();
  }

  @Override
  public CompletionStage<String> id() {
    return unlessAway(all::id);
  }

  @Override
  public CompletionStage<StoredDefinition> create(StoredDefinition wanted) {
    return unlessAway(() -> all.create(wanted));
  }

  @Override
  public CompletionStage<Optional<StoredDefinition>> get(String cache) {
    return unlessAway(() -> all.get(cache));
  }

  @Override
  public CompletionStage<SortedSet<String>> list() {
    return unlessAway(all::list);
  }

  @Override
  public CompletionStage<Inventory> inventory() {
    return unlessAway(all::inventory);
  }

  @Override
  public CompletionStage<Boolean> replace(StoredDefinition changed) {
    return unlessAway(() -> all.replace(changed));
  }

  @Override
  public CompletionStage<Boolean> delete(StoredDefinition known) {
    return unlessAway(() -> all.delete(known));
  }

  @Override
  public DistributedDefinitions distributions() {
    return all.distributions();
  }

  @Override
  public SiteEntries sites() {
    return all.sites();
  }

  @Override
  public PlacementRecords placements() {
    return all.placements();
  }
}
