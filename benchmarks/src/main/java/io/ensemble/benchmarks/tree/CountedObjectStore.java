package io.ensemble.benchmarks.tree;

import io.ensemble.benchmarks.federation.RequestCount;
import io.ensemble.objects.store.ObjectStore;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.infinispan.commons.util.CloseableIterator;

/** Counts the requests to a store; those of a write of several entries by their entries. */
record CountedObjectStore(ObjectStore store, RequestCount count) implements ObjectStore {

  @Override
  public CompletionStage<Optional<Entry>> read(String key) {
    count.sent(key.startsWith("tree/") ? "page read" : "read");
    return store.read(key);
  }

  @Override
  public CompletionStage<Void> create(String key, byte[] value) {
    count.sent("create");
    return store.create(key, value);
  }

  @Override
  public CompletionStage<Replaced> replace(String key, Object token, byte[] value) {
    count.sent("replace");
    return store.replace(key, token, value);
  }

  @Override
  public CompletionStage<Void> put(String key, byte[] value) {
    count.sent("put");
    return store.put(key, value);
  }

  @Override
  public CompletionStage<Void> putAll(Map<String, byte[]> entries) {
    entries.keySet().forEach(key -> count.sent("page written"));
    return store.putAll(entries);
  }

  @Override
  public CompletionStage<Void> remove(String key) {
    count.sent("remove");
    return store.remove(key);
  }

  @Override
  public CloseableIterator<String> keys(String prefix) {
    return store.keys(prefix);
  }

  @Override
  public Optional<AutoCloseable> watch(Consumer<Change> listener) {
    return store.watch(listener);
  }
}
