package io.ensemble.catalog;

import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** Distributed caches for the managers of one JVM, which share the object, and end with it. */
public final class InMemoryDistributions implements Distributions {

  private final ConcurrentMap<String, StoredDistribution> records = new ConcurrentHashMap<>();

  @Override
  public CompletionStage<StoredDistribution> create(StoredDistribution wanted) {
    StoredDistribution before = records.putIfAbsent(wanted.definition().name(), wanted);
    if (before != null && !before.definition().equals(wanted.definition())) {
      return CompletableFuture.failedFuture(
          new DistributionExistsException(before.definition(), wanted.definition()));
    }
    return CompletableFuture.completedFuture(before == null ? wanted : before);
  }

  @Override
  public CompletionStage<Optional<StoredDistribution>> get(String cache) {
    return CompletableFuture.completedFuture(Optional.ofNullable(records.get(cache)));
  }

  @Override
  public CompletionStage<SortedSet<String>> list() {
    return CompletableFuture.completedFuture(new TreeSet<>(records.keySet()));
  }

  @Override
  public CompletionStage<Boolean> delete(StoredDistribution known) {
    return CompletableFuture.completedFuture(records.remove(known.definition().name(), known));
  }
}
