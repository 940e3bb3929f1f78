package io.ensemble.objects;

import io.ensemble.objects.store.ObjectStore;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.infinispan.commons.util.CloseableIterator;

/** The store of a process that dies: it still sends some requests, and receives no responses. */
public class UnresponsiveStore implements ObjectStore {

  private final ObjectStore store;
  private final AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);
  private volatile boolean dead;

  public UnresponsiveStore(ObjectStore store) {
    this.store = store;
  }

  /** From now on, only {@code requests} more are sent. */
  public void die(int requests) {
    left.set(requests);
    dead = true;
  }

  boolean isDead() {
    return dead;
  }

  private <T> CompletionStage<T> asked(Supplier<CompletionStage<T>> asking) {
    if (dead && left.getAndDecrement() <= 0) {
      return new CompletableFuture<>();
    }
    CompletableFuture<T> answer = new CompletableFuture<>();
    asking
        .get()
        .whenComplete(
            (value, failure) -> {
              if (dead) {
                return;
              }
              if (failure == null) {
                answer.complete(value);
              } else {
                answer.completeExceptionally(failure);
              }
            });
    return answer;
  }

  @Override
  public CompletionStage<Optional<Entry>> read(String key) {
    return asked(() -> store.read(key));
  }

  @Override
  public CompletionStage<Void> create(String key, byte[] value) {
    return asked(() -> store.create(key, value));
  }

  @Override
  public CompletionStage<Replaced> replace(String key, Object token, byte[] value) {
    return asked(() -> store.replace(key, token, value));
  }

  @Override
  public CompletionStage<Void> put(String key, byte[] value) {
    return asked(() -> store.put(key, value));
  }

  @Override
  public CompletionStage<Void> remove(String key) {
    return asked(() -> store.remove(key));
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
