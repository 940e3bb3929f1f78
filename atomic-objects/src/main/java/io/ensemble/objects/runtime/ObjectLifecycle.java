package io.ensemble.objects.runtime;

import io.ensemble.objects.record.ByteString;
import io.ensemble.objects.record.ObjectRoot;
import io.ensemble.objects.record.RootCodec;
import io.ensemble.objects.record.StateLocation;
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
 * Creates and disposes of objects. Each step is a compare-and-set whose response is ignored: the
 * root is read, and its birth shows which process created it. Failed requests are retried until the
 * deadline.
 */
public final class ObjectLifecycle {

  /**
   * An object that was found.
   *
   * @param token identifies the version of its root at the store
   */
  public record Found(ObjectRoot root, Object token) {}

  /**
   * The result of a creation.
   *
   * @param found the object that has the name now
   * @param created whether this creation made it
   */
  public record Born(Found found, boolean created) {}

  private final ObjectStore store;
  private final TimedExecutor timedExecutor;
  private final RequestRetrier requestRetrier;

  /** For the objects in {@code store}; each request has this timeout. */
  public ObjectLifecycle(ObjectStore store, TimedExecutor timedExecutor, Duration requestTimeout) {
    this.store = store;
    this.timedExecutor = timedExecutor;
    this.requestRetrier = new RequestRetrier(timedExecutor, requestTimeout);
  }

  /** The object under a name; empty if there is none. */
  public CompletionStage<Optional<Found>> find(String name, long deadline) {
    return requestRetrier
        .asked(() -> store.read(ObjectKeys.root(name)), deadline)
        .thenApplyAsync(
            e -> e.map(ObjectLifecycle::found).filter(f -> !f.root.isDisposed()),
            timedExecutor.executor());
  }

  /** Creates an object, if the name is free. */
  public CompletionStage<Born> create(String name, String type, ByteString state, long deadline) {
    return create(name, type, state, UUID.randomUUID(), deadline);
  }

  private CompletionStage<Born> create(
      String name, String type, ByteString state, UUID birth, long deadline) {
    return requestRetrier
        .asked(() -> store.read(ObjectKeys.root(name)), deadline)
        .thenComposeAsync(
            found -> {
              ObjectRoot root = found.map(ObjectLifecycle::root).orElse(null);
              if (root != null && (root.birth().equals(birth) || !root.isDisposed())) {
                return CompletableFuture.completedFuture(
                    new Born(new Found(root, found.get().token()), root.birth().equals(birth)));
              }
              return written(name, found, born(root, type, state, birth), deadline)
                  .thenComposeAsync(
                      done -> create(name, type, state, birth, deadline), timedExecutor.executor());
            },
            timedExecutor.executor());
  }

  private static ObjectRoot born(
      @Nullable ObjectRoot before, String type, ByteString state, UUID birth) {
    return before == null
        ? ObjectRoot.first(type, birth, state)
        : before.reborn(type, birth, state);
  }

  /** Disposes of an object. False if there is none. */
  public CompletionStage<Boolean> dispose(String name, long deadline) {
    return dispose(name, null, deadline);
  }

  /**
   * Disposes of an object.
   *
   * @param meant the birth of the object; null for the one that has the name
   */
  public CompletionStage<Boolean> dispose(String name, @Nullable UUID meant, long deadline) {
    return requestRetrier
        .asked(() -> store.read(ObjectKeys.root(name)), deadline)
        .thenComposeAsync(
            found -> {
              ObjectRoot root = found.map(ObjectLifecycle::root).orElse(null);
              if (root == null
                  || root.isDisposed()
                  || meant != null && !root.birth().equals(meant)) {
                return CompletableFuture.completedFuture(meant != null);
              }
              return written(name, found, root.disposed(), deadline)
                  .thenComposeAsync(
                      done -> dispose(name, root.birth(), deadline), timedExecutor.executor())
                  .thenApply(done -> swept(root));
            },
            timedExecutor.executor());
  }

  /** Removes the mailboxes and snapshots of a root that was disposed of. */
  private boolean swept(ObjectRoot root) {
    drop(ObjectKeys.mailbox(root.birth(), root.birth())); // The shared one.
    root.members().forEach(m -> drop(ObjectKeys.mailbox(root.birth(), m.session())));
    if (root.body() instanceof StateLocation.Stored stored) {
      drop(ObjectKeys.snapshot(stored.snapshot()));
    }
    if (root.announced() != null) {
      drop(ObjectKeys.snapshot(root.announced().snapshot()));
    }
    return true;
  }

  private void drop(String key) {
    store.remove(key).exceptionally(e -> null);
  }

  /** Tries to write a root; the outcome is read afterwards. Fails only after the deadline. */
  private CompletionStage<?> written(
      String name, Optional<Entry> found, ObjectRoot root, long deadline) {
    if (timedExecutor.now() >= deadline) {
      return CompletableFuture.failedFuture(
          new TimeoutException(
              "the writes failed, or other processes wrote first at each attempt"));
    }
    byte[] bytes = RootCodec.write(root);
    return requestRetrier
        .once(
            () ->
                found.isEmpty()
                    ? store.create(ObjectKeys.root(name), bytes)
                    : store.replace(ObjectKeys.root(name), found.get().token(), bytes),
            deadline)
        .handle((done, failure) -> failure == null ? RequestRetrier.none() : RequestRetrier.pause())
        .thenCompose(pause -> pause);
  }

  private static Found found(Entry entry) {
    return new Found(root(entry), entry.token());
  }

  private static ObjectRoot root(Entry entry) {
    return RootCodec.root(entry.value());
  }
}
