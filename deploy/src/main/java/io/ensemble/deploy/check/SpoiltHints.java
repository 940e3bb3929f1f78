package io.ensemble.deploy.check;

import io.ensemble.objects.store.ObjectStore;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A store whose events are lost, come twice, or come late, while they are to. What is stored is
 * left alone. Thread-safe.
 */
final class SpoiltHints implements ObjectStore {
  private static final int LATEST_MILLIS = 1_500;

  private final ObjectStore store;
  private final SplittableRandom random;
  private volatile boolean spoiling;

  SpoiltHints(ObjectStore store, long seed) {
    this.store = store;
    this.random = new SplittableRandom(seed);
  }

  /** From now on, or no more. */
  void spoil(boolean now) {
    spoiling = now;
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
  public Optional<AutoCloseable> watch(Consumer<String> hint) {
    return store.watch(key -> pass(key, hint));
  }

  private void pass(String key, Consumer<String> hint) {
    if (!spoiling) {
      hint.accept(key);
      return;
    }
    int fate;
    int millis;
    synchronized (this) {
      fate = random.nextInt(4);
      millis = random.nextInt(1, LATEST_MILLIS);
    }
    if (fate == 0) { // Twice, and later than others.
      hint.accept(key);
    }
    if (fate <= 1) {
      CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS, Runnable::run)
          .execute(() -> hint.accept(key));
    }
  }
}
