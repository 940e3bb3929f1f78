package io.ensemble.catalog.record;

import io.ensemble.site.Bytes;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** Records in the memory of one JVM. Stages are complete when they are returned. */
public final class InMemoryRecords implements CatalogRecords {

  private record Key(Kind kind, String name) {}

  private final String id = CatalogIds.random();
  private final ConcurrentMap<Key, VersionedRecord> records = new ConcurrentHashMap<>();

  @Override
  public CompletionStage<String> id() {
    return CompletableFuture.completedFuture(id);
  }

  @Override
  public CompletionStage<Optional<VersionedRecord>> get(Kind kind, String name) {
    return CompletableFuture.completedFuture(Optional.ofNullable(records.get(new Key(kind, name))));
  }

  @Override
  public CompletionStage<SortedSet<String>> list(Kind kind) {
    SortedSet<String> names = new TreeSet<>();
    for (Key key : records.keySet()) {
      if (key.kind() == kind) {
        names.add(key.name());
      }
    }
    return CompletableFuture.completedFuture(names);
  }

  @Override
  public CompletionStage<Boolean> create(Kind kind, String name, Bytes text) {
    return CompletableFuture.completedFuture(
        records.putIfAbsent(new Key(kind, name), new VersionedRecord(text, 0)) == null);
  }

  @Override
  public CompletionStage<Boolean> replace(
      Kind kind, String name, VersionedRecord seen, Bytes text) {
    return CompletableFuture.completedFuture(
        records.replace(new Key(kind, name), seen, new VersionedRecord(text, 0)));
  }

  @Override
  public CompletionStage<Boolean> delete(Kind kind, String name, VersionedRecord seen) {
    return CompletableFuture.completedFuture(records.remove(new Key(kind, name), seen));
  }

  @Override
  public String where(Kind kind, String name) {
    return "memory " + kind.word() + " " + name;
  }
}
