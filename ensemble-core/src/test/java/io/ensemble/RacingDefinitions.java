package io.ensemble;

import io.ensemble.catalog.definition.Definitions;
import io.ensemble.catalog.definition.DistributedDefinitions;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.catalog.definition.Inventory;
import io.ensemble.catalog.definition.PlacementRecords;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.catalog.site.SiteEntries;
import java.util.Optional;
import java.util.Queue;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** A catalog in which another process may be first, and which may fail around a creation. */
public final class RacingDefinitions implements Definitions {

  private final InMemoryDefinitions inner = new InMemoryDefinitions();
  volatile StoredDefinition raced;
  volatile boolean failBeforeCreate;
  volatile boolean failAfterCreate;
  volatile boolean failAfterReplace;

  /** The action of another process right after a record was stored. */
  volatile Consumer<StoredDefinition> afterCreate = stored -> {};

  /** The action of another process right before the next read of a record. */
  public final AtomicReference<Runnable> beforeGet = new AtomicReference<>(() -> {});

  @Override
  public CompletionStage<String> id() {
    return inner.id();
  }

  @Override
  public CompletionStage<StoredDefinition> create(StoredDefinition wanted) {
    if (raced != null) {
      inner.create(raced);
    }
    if (failAfterCreate) {
      inner.create(wanted);
    }
    CompletionStage<StoredDefinition> answer =
        failBeforeCreate || failAfterCreate ? failed() : inner.create(wanted);
    afterCreate.accept(wanted);
    return answer;
  }

  private static <T> CompletionStage<T> failed() {
    return CompletableFuture.failedFuture(
        new CatalogException(CatalogException.Reason.UNAVAILABLE, "told to fail"));
  }

  @Override
  public CompletionStage<Optional<StoredDefinition>> get(String cache) {
    beforeGet.getAndSet(() -> {}).run();
    return inner.get(cache);
  }

  /** The actions of another process right before the next reads of the names, one for each. */
  public final Queue<Runnable> beforeLists = new ConcurrentLinkedQueue<>();

  @Override
  public CompletionStage<SortedSet<String>> list() {
    Optional.ofNullable(beforeLists.poll()).ifPresent(Runnable::run);
    return inner.list();
  }

  @Override
  public CompletionStage<Inventory> inventory() {
    return inner.inventory();
  }

  /** The action of another process right before the next replacement of a record. */
  public final AtomicReference<Runnable> beforeReplace = new AtomicReference<>(() -> {});

  @Override
  public CompletionStage<Boolean> replace(StoredDefinition changed) {
    beforeReplace.getAndSet(() -> {}).run();
    CompletionStage<Boolean> answer = inner.replace(changed);
    return failAfterReplace ? failed() : answer;
  }

  @Override
  public CompletionStage<Boolean> delete(StoredDefinition known) {
    return inner.delete(known);
  }

  @Override
  public DistributedDefinitions distributions() {
    return inner.distributions();
  }

  @Override
  public SiteEntries sites() {
    return inner.sites();
  }

  @Override
  public PlacementRecords placements() {
    return inner.placements();
  }
}
