package io.ensemble.objects.drive;

import io.ensemble.objects.root.Body;
import io.ensemble.objects.root.Bytes;
import io.ensemble.objects.root.Root;
import io.ensemble.objects.root.Wire;
import io.ensemble.objects.store.ObjectStore;
import io.ensemble.objects.store.ObjectStore.Entry;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Births and ends of objects. Each step is a compare-and-set whose answer is not believed: the root
 * is read, and tells by its birth whose it is. What fails is tried again until the time is up.
 */
public final class Lives {

  /**
   * An object that was found.
   *
   * @param token by which the store knew its root
   */
  public record Found(Root root, Object token) {}

  /**
   * What a creation came to.
   *
   * @param found the object that has the name now
   * @param created whether this creation made it
   */
  public record Born(Found found, boolean created) {}

  private final ObjectStore store;
  private final Clockwork clockwork;
  private final Patience patience;

  /** Those in {@code store}, which is given up for each request after {@code requestTimeout}. */
  public Lives(ObjectStore store, Clockwork clockwork, Duration requestTimeout) {
    this.store = store;
    this.clockwork = clockwork;
    this.patience = new Patience(clockwork, requestTimeout);
  }

  /** The object under a name; empty if there is none. */
  public CompletionStage<Optional<Found>> find(String name, long deadline) {
    return patience
        .asked(() -> store.read(Keys.root(name)), deadline)
        .thenApplyAsync(
            e -> e.map(Lives::found).filter(f -> !f.root.isDisposed()), clockwork.executor());
  }

  /** Creates an object, if the name is free. */
  public CompletionStage<Born> create(String name, String type, Bytes state, long deadline) {
    return create(name, type, state, UUID.randomUUID(), deadline);
  }

  private CompletionStage<Born> create(
      String name, String type, Bytes state, UUID birth, long deadline) {
    return patience
        .asked(() -> store.read(Keys.root(name)), deadline)
        .thenComposeAsync(
            found -> {
              Root root = found.map(Lives::root).orElse(null);
              if (root != null && (root.birth().equals(birth) || !root.isDisposed())) {
                return CompletableFuture.completedFuture(
                    new Born(new Found(root, found.get().token()), root.birth().equals(birth)));
              }
              return written(name, found, born(root, type, state, birth), deadline)
                  .thenComposeAsync(
                      done -> create(name, type, state, birth, deadline), clockwork.executor());
            },
            clockwork.executor());
  }

  private static Root born(@Nullable Root before, String type, Bytes state, UUID birth) {
    return before == null ? Root.first(type, birth, state) : before.reborn(type, birth, state);
  }

  /** Ends an object. False if there is none. */
  public CompletionStage<Boolean> dispose(String name, long deadline) {
    return dispose(name, null, deadline);
  }

  private CompletionStage<Boolean> dispose(String name, @Nullable UUID meant, long deadline) {
    return patience
        .asked(() -> store.read(Keys.root(name)), deadline)
        .thenComposeAsync(
            found -> {
              Root root = found.map(Lives::root).orElse(null);
              if (root == null
                  || root.isDisposed()
                  || meant != null && !root.birth().equals(meant)) {
                return CompletableFuture.completedFuture(meant != null);
              }
              return written(name, found, root.disposed(), deadline)
                  .thenComposeAsync(
                      done -> dispose(name, root.birth(), deadline), clockwork.executor())
                  .thenApply(done -> swept(root));
            },
            clockwork.executor());
  }

  /** Removes what lies beside a root that is no more. */
  private boolean swept(Root root) {
    root.members().forEach(m -> drop(Keys.mailbox(root.birth(), m.session())));
    if (root.body() instanceof Body.Stored stored) {
      drop(Keys.snapshot(stored.snapshot()));
    }
    if (root.announced() != null) {
      drop(Keys.snapshot(root.announced().snapshot()));
    }
    return true;
  }

  private void drop(String key) {
    store.remove(key).exceptionally(e -> null);
  }

  /** Tries to write a root; what came of it is to be read. Fails only when the time is up. */
  private CompletionStage<?> written(String name, Optional<Entry> found, Root root, long deadline) {
    if (clockwork.now() >= deadline) {
      return CompletableFuture.failedFuture(
          new TimeoutException("its writes fail, or others come first each time"));
    }
    byte[] bytes = Wire.write(root);
    return patience
        .once(
            () ->
                found.isEmpty()
                    ? store.create(Keys.root(name), bytes)
                    : store.replace(Keys.root(name), found.get().token(), bytes),
            deadline)
        .handle((done, failure) -> failure == null ? Patience.none() : Patience.pause())
        .thenCompose(pause -> pause);
  }

  private static Found found(Entry entry) {
    return new Found(root(entry), entry.token());
  }

  private static Root root(Entry entry) {
    return Wire.root(entry.value());
  }
}
