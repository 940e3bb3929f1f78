package io.ensemble;

import io.ensemble.catalog.CatalogException;
import io.ensemble.catalog.Definitions;
import io.ensemble.catalog.InMemoryDefinitions;
import io.ensemble.catalog.StoredDefinition;
import java.util.Optional;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A catalog in which somebody else may be first, and which may fail around a creation. */
final class RacingDefinitions implements Definitions {

  private final InMemoryDefinitions inner = new InMemoryDefinitions();
  volatile StoredDefinition raced;
  volatile boolean failBeforeCreate;
  volatile boolean failAfterCreate;

  @Override
  public CompletionStage<StoredDefinition> create(StoredDefinition wanted) {
    if (raced != null) {
      inner.create(raced);
    }
    if (failAfterCreate) {
      inner.create(wanted);
    }
    return failBeforeCreate || failAfterCreate
        ? CompletableFuture.failedFuture(
            new CatalogException(CatalogException.Reason.UNAVAILABLE, "told to fail"))
        : inner.create(wanted);
  }

  @Override
  public CompletionStage<Optional<StoredDefinition>> get(String cache) {
    return inner.get(cache);
  }

  @Override
  public CompletionStage<SortedSet<String>> list() {
    return inner.list();
  }

  @Override
  public CompletionStage<Boolean> replace(StoredDefinition changed) {
    return inner.replace(changed);
  }

  @Override
  public CompletionStage<Boolean> delete(String cache, long revision) {
    return inner.delete(cache, revision);
  }
}
