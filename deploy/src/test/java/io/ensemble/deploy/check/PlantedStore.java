package io.ensemble.deploy.check;

import io.ensemble.objects.store.ObjectStore;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.infinispan.commons.util.CloseableIterator;

/**
 * A client program whose store replaces entries without comparing them. Mailboxes look empty, for a
 * combiner, who alone replaces the root, would hide that.
 */
final class PlantedStore {
  private PlantedStore() {}

  public static void main(String[] arguments) throws Exception {
    ObjectProgram.run(System.in, System.out, Careless::new);
    System.exit(0);
  }

  private record Careless(ObjectStore store) implements ObjectStore {
    @Override
    public CompletionStage<Optional<Entry>> read(String key) {
      return key.startsWith("mailbox/")
          ? CompletableFuture.completedFuture(Optional.empty())
          : store.read(key);
    }

    @Override
    public CompletionStage<Void> create(String key, byte[] value) {
      return store.create(key, value);
    }

    @Override
    public CompletionStage<Replaced> replace(String key, Object token, byte[] value) {
      return store.put(key, value).thenApply(done -> new Replaced(true, Optional.empty()));
    }

    @Override
    public CompletionStage<Void> put(String key, byte[] value) {
      return store.put(key, value);
    }

    @Override
    public CompletionStage<Void> remove(String key) {
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
}
