package io.ensemble.objects.drive;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.ensemble.objects.root.Body;
import io.ensemble.objects.root.Bytes;
import io.ensemble.objects.root.Root;
import io.ensemble.objects.root.Wire;
import io.ensemble.objects.store.ObjectStore;
import io.ensemble.objects.store.ObjectStore.Entry;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Births and ends of objects. Each step is a compare-and-set whose answer is not believed: the root
 * is read, and tells by its birth whose it is. What fails is tried again until the time is up.
 */
public final class Lives {

  /**
   * What a creation came to.
   *
   * @param root of the object that has the name now
   * @param created whether this creation made it
   */
  public record Born(Root root, boolean created) {}

  private static final long PAUSE_MILLIS = 20;

  private final ObjectStore store;
  private final Clockwork clockwork;

  /** Those in {@code store}. */
  public Lives(ObjectStore store, Clockwork clockwork) {
    this.store = store;
    this.clockwork = clockwork;
  }

  /** The root under a name; empty if there is no object. */
  public CompletionStage<Optional<Root>> find(String name, long deadline) {
    return patiently(() -> store.read(Keys.root(name)), deadline)
        .thenApplyAsync(e -> e.map(Lives::root).filter(r -> !r.isDisposed()), clockwork.executor());
  }

  /** Creates an object, if the name is free. */
  public CompletionStage<Born> create(String name, String type, Bytes state, long deadline) {
    return create(name, type, state, UUID.randomUUID(), deadline);
  }

  private CompletionStage<Born> create(
      String name, String type, Bytes state, UUID birth, long deadline) {
    return patiently(() -> store.read(Keys.root(name)), deadline)
        .thenComposeAsync(
            found -> {
              Root root = found.map(Lives::root).orElse(null);
              if (root != null && (root.birth().equals(birth) || !root.isDisposed())) {
                return CompletableFuture.completedFuture(
                    new Born(root, root.birth().equals(birth)));
              }
              return written(name, found, born(root, type, state, birth))
                  .thenCompose(done -> create(name, type, state, birth, deadline));
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
    return patiently(() -> store.read(Keys.root(name)), deadline)
        .thenComposeAsync(
            found -> {
              Root root = found.map(Lives::root).orElse(null);
              if (root == null
                  || root.isDisposed()
                  || meant != null && !root.birth().equals(meant)) {
                return CompletableFuture.completedFuture(meant != null);
              }
              return written(name, found, root.disposed())
                  .thenCompose(done -> dispose(name, root.birth(), deadline))
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

  /** Tries to write a root; what came of it is to be read. */
  private CompletionStage<@Nullable Void> written(String name, Optional<Entry> found, Root root) {
    byte[] bytes = Wire.write(root);
    CompletionStage<?> writing =
        found.isEmpty()
            ? store.create(Keys.root(name), bytes)
            : store.replace(Keys.root(name), found.get().token(), bytes);
    return writing.handle((done, failure) -> null);
  }

  /** Asks again, after a pause, until it is answered or the time is up. */
  private <T> CompletionStage<T> patiently(Supplier<CompletionStage<T>> asking, long deadline) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    attempt(asking, deadline, answer);
    return answer;
  }

  private <T> void attempt(
      Supplier<CompletionStage<T>> asking, long deadline, CompletableFuture<T> answer) {
    asking
        .get()
        .whenComplete(
            (value, failure) -> {
              if (failure == null) {
                answer.complete(value);
              } else if (clockwork.now() >= deadline) {
                answer.completeExceptionally(failure);
              } else {
                clockwork
                    .timer()
                    .schedule(() -> attempt(asking, deadline, answer), PAUSE_MILLIS, MILLISECONDS);
              }
            });
  }

  private static Root root(Entry entry) {
    return Wire.root(entry.value());
  }
}
