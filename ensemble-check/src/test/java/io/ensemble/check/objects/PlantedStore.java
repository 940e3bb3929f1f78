package io.ensemble.check.objects;

import io.ensemble.objects.store.ObjectStore;
import java.io.InputStream;
import java.io.PrintStream;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.infinispan.commons.util.CloseableIterator;

/**
 * A client program whose store replaces entries without comparing them. It first waits, for a
 * bounded time, until another client has replaced the same entry: two concurrent replacements then
 * both succeed, however busy the machine is. Mailboxes appear empty, because a combiner would hide
 * the fault: it alone replaces the root.
 */
final class PlantedStore {
  private static final Executor LATER = CompletableFuture.delayedExecutor(3, TimeUnit.MILLISECONDS);

  /** Keeps the wait well below the deadline of a call, even when several calls wait in turn. */
  private static final int MOST_LOOKS = 25;

  private PlantedStore() {}

  static void run(InputStream in, PrintStream out) throws Exception {
    ObjectProgram.run(in, out, store -> new Careless(store, MOST_LOOKS));
  }

  /** Waits 3 ms only, for objects that a second replacement makes unavailable for long. */
  static void runHasty(InputStream in, PrintStream out) throws Exception {
    ObjectProgram.run(in, out, store -> new Careless(store, 1));
  }

  private record Careless(ObjectStore store, int mostLooks) implements ObjectStore {
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
      return overtaken(key, token, mostLooks)
          .thenCompose(waited -> store.put(key, value))
          .thenApply(done -> new Replaced(true, Optional.empty()));
    }

    private CompletionStage<Void> overtaken(String key, Object token, int looks) {
      return CompletableFuture.supplyAsync(() -> store.read(key), LATER)
          .thenCompose(Function.identity())
          .thenCompose(
              now ->
                  looks > 1 && now.map(Entry::token).equals(Optional.of(token))
                      ? overtaken(key, token, looks - 1)
                      : CompletableFuture.completedFuture(null));
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
