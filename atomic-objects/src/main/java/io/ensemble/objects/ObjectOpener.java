package io.ensemble.objects;

import io.ensemble.objects.machine.JavaStateMachine;
import io.ensemble.objects.machine.NotAppliedException;
import io.ensemble.objects.machine.UnreadableException;
import io.ensemble.objects.protocol.StateLoader;
import io.ensemble.objects.record.ByteString;
import io.ensemble.objects.record.ObjectRoot;
import io.ensemble.objects.runtime.ObjectKeys;
import io.ensemble.objects.runtime.ObjectLifecycle;
import io.ensemble.objects.runtime.SnapshotCache;
import io.ensemble.objects.runtime.TimedExecutor;
import io.ensemble.objects.runtime.UnwrappedCause;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Finds, creates and disposes of the objects of a factory. Thread-safe. */
final class ObjectOpener {

  /**
   * The result of a creation.
   *
   * @param handle of the object that has the name now
   * @param created whether this creation made it
   */
  record Made(ObjectHandle handle, boolean created) {}

  /** The number of attempts to read a state that is replaced concurrently. */
  private static final int ATTEMPTS = 3;

  private final AtomicObjectFactory factory;
  private final AtomicObjectFactoryBuilder options;
  private final SessionRegistry sessionRegistry;
  private final ObjectLifecycle objectLifecycle;
  private final SnapshotCache snapshotCache;

  ObjectOpener(
      AtomicObjectFactory factory,
      AtomicObjectFactoryBuilder options,
      SessionRegistry sessionRegistry,
      TimedExecutor timedExecutor) {
    this.factory = factory;
    this.options = options;
    this.sessionRegistry = sessionRegistry;
    this.objectLifecycle =
        new ObjectLifecycle(options.store, timedExecutor, options.requestTimeout);
    this.snapshotCache = new SnapshotCache(options.store, timedExecutor, options.requestTimeout);
  }

  <T> CompletionStage<ObjectHandle> opened(
      String name, JavaStateMachine<T> machine, boolean sequential) {
    return found(name)
        .thenApply(
            found ->
                handle(
                    name,
                    machine,
                    found.orElseThrow(() -> new AtomicObjectException.NoSuchObject(name)),
                    sequential));
  }

  <T> CompletionStage<Made> made(String name, JavaStateMachine<T> machine, T initial) {
    ByteString state;
    try {
      state = ByteString.of(machine.store(initial));
    } catch (NotAppliedException e) {
      throw new IllegalArgumentException(
          "the initial state cannot be written: " + e.getMessage(), e);
    }
    return translated(
            name,
            objectLifecycle.create(
                ObjectKeys.checked(name), machine.type().name(), state, deadline()))
        .thenApply(born -> new Made(handle(name, machine, born.found(), false), born.created()));
  }

  CompletionStage<Optional<ObjectLifecycle.Found>> found(String name) {
    return translated(name, objectLifecycle.find(ObjectKeys.checked(name), deadline()));
  }

  /**
   * Reads the state of an object: one round trip, and another one for a state that has an entry of
   * its own and is not cached in this process.
   *
   * @param before returned if the object has not changed since; null for a new copy
   * @return empty if the entry of the state was replaced in each attempt, so that it cannot be read
   */
  <T> CompletionStage<Optional<ObservedState<T>>> sighted(
      String name, JavaStateMachine<T> machine, @Nullable ObservedState<T> before) {
    return translated(name, sighted(name, machine, before, ATTEMPTS));
  }

  private <T> CompletionStage<Optional<ObservedState<T>>> sighted(
      String name, JavaStateMachine<T> machine, @Nullable ObservedState<T> before, int attempts) {
    if (attempts == 0) {
      return CompletableFuture.completedFuture(Optional.empty());
    }
    return found(name)
        .thenCompose(
            found -> {
              ObjectRoot root =
                  found.orElseThrow(() -> new AtomicObjectException.NoSuchObject(name)).root();
              checkType(name, machine, root);
              if (before != null && before.isAfter(root)) {
                return CompletableFuture.completedFuture(Optional.of(before));
              }
              Optional<UUID> snapshot = StateLoader.snapshot(root);
              if (snapshot.isEmpty()) {
                return CompletableFuture.completedFuture(Optional.of(sighted(machine, root, null)));
              }
              return snapshotCache
                  .read(snapshot.get(), deadline())
                  .thenCompose(
                      bytes ->
                          bytes.isPresent()
                              ? CompletableFuture.completedFuture(
                                  Optional.of(sighted(machine, root, bytes.get())))
                              : sighted(name, machine, before, attempts - 1));
            });
  }

  private static <T> ObservedState<T> sighted(
      JavaStateMachine<T> machine, ObjectRoot root, @Nullable ByteString snapshot) {
    T state = machine.type().face().cast(StateLoader.state(machine, root, snapshot));
    return ObservedState.after(root, state);
  }

  CompletionStage<Boolean> disposed(String name) {
    return translated(name, objectLifecycle.dispose(ObjectKeys.checked(name), deadline()));
  }

  CompletionStage<Boolean> disposed(String name, UUID birth) {
    return translated(name, objectLifecycle.dispose(ObjectKeys.checked(name), birth, deadline()));
  }

  private ObjectHandle handle(
      String name, JavaStateMachine<?> machine, ObjectLifecycle.Found found, boolean sequential) {
    checkType(name, machine, found.root());
    AtomicObjectSession session = sessionRegistry.hold(name, found, machine);
    return new ObjectHandle(factory, session, machine.type().name(), sequential, options.timeout);
  }

  private static void checkType(String name, JavaStateMachine<?> machine, ObjectRoot root) {
    if (!root.type().equals(machine.type().name())) {
      throw new AtomicObjectException.OtherType(name, machine.type().name(), root.type());
    }
  }

  private long deadline() {
    return System.nanoTime() + options.timeout.toNanos();
  }

  /** Converts failures of the store to an {@link AtomicObjectException}. */
  private static <T> CompletionStage<T> translated(String name, CompletionStage<T> stage) {
    return stage.handle(
        (value, failure) -> {
          if (failure == null) {
            return value;
          }
          Throwable cause = UnwrappedCause.of(failure);
          if (cause instanceof AtomicObjectException known) {
            throw known;
          }
          throw cause instanceof UnreadableException
              ? new AtomicObjectException.ObjectUnreadable(String.valueOf(cause.getMessage()), name)
              : new AtomicObjectException.StoreUnavailable(name, cause);
        });
  }
}
