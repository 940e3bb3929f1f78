package io.ensemble.catalog;

import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * A catalog for the managers of one JVM, which share the object. It ends with the JVM; the stores
 * of caches that were not deleted then stay at their sites, and no other catalog removes them.
 */
public final class InMemoryDefinitions implements Definitions {

  private final String id = CatalogIds.random();
  private final ConcurrentMap<String, StoredDefinition> records = new ConcurrentHashMap<>();

  @Override
  public CompletionStage<String> id() {
    return CompletableFuture.completedFuture(id);
  }

  @Override
  public CompletionStage<StoredDefinition> create(StoredDefinition wanted) {
    StoredDefinition before = records.putIfAbsent(wanted.definition().name(), wanted);
    if (before != null && !before.definition().equals(wanted.definition())) {
      return CompletableFuture.failedFuture(
          new CacheExistsException(before.definition(), wanted.definition()));
    }
    return CompletableFuture.completedFuture(before == null ? wanted : before);
  }

  @Override
  public CompletionStage<Optional<StoredDefinition>> get(String cache) {
    return CompletableFuture.completedFuture(Optional.ofNullable(records.get(cache)));
  }

  @Override
  public CompletionStage<SortedSet<String>> list() {
    return CompletableFuture.completedFuture(new TreeSet<>(records.keySet()));
  }

  @Override
  public CompletionStage<Boolean> replace(StoredDefinition changed) {
    StoredDefinition before = records.get(changed.definition().name());
    return CompletableFuture.completedFuture(
        before != null
            && before.isBefore(changed)
            && records.replace(changed.definition().name(), before, changed));
  }

  @Override
  public CompletionStage<Boolean> delete(StoredDefinition known) {
    String cache = known.definition().name();
    StoredDefinition before = records.get(cache);
    return CompletableFuture.completedFuture(
        before != null && before.isSameRecord(known) && records.remove(cache, before));
  }
}
