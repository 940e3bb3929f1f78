package io.ensemble.check.objects;

import io.ensemble.objects.store.ObjectStore;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.infinispan.commons.util.CloseableIterator;

/**
 * A store whose events, while it is spoilt, are lost or arrive twice, late or empty. The stored
 * data is unaffected. Thread-safe.
 */
final class UnreliableEventStore implements ObjectStore {
  private static final int LATEST_MILLIS = 1_500;

  private final ObjectStore store;
  private final SplittableRandom random;
  private volatile boolean isFaulty;

  UnreliableEventStore(ObjectStore store, long seed) {
    this.store = store;
    this.random = new SplittableRandom(seed);
  }

  /** Begins or ends the faults of events. */
  void setFaulty(boolean now) {
    isFaulty = now;
  }

  @Override
  public CompletionStage<Optional<Entry>> read(String key) {
    return store.read(key);
  }

  @Override
  public CompletionStage<Void> create(String key, byte[] value) {
    return store.create(key, value);
  }

  @Override
  public CompletionStage<Replaced> replace(String key, Object token, byte[] value) {
    return store.replace(key, token, value);
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
    return store.watch(change -> deliver(change, listener));
  }

  private void deliver(Change change, Consumer<Change> listener) {
    if (!isFaulty) {
      listener.accept(change);
      return;
    }
    int choice;
    int millis;
    synchronized (this) {
      choice = random.nextInt(5);
      millis = random.nextInt(1, LATEST_MILLIS);
    }
    if (choice == 4) { // Without its key.
      listener.accept(new Change(change.key(), Optional.empty()));
    }
    if (choice == 0) { // Twice, and later than others.
      listener.accept(change);
    }
    if (choice <= 1) {
      CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS, Runnable::run)
          .execute(() -> listener.accept(change));
    }
  }
}
