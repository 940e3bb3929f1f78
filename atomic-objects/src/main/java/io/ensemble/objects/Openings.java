package io.ensemble.objects;

import io.ensemble.objects.course.Glimpse;
import io.ensemble.objects.drive.Clockwork;
import io.ensemble.objects.drive.Keys;
import io.ensemble.objects.drive.Lives;
import io.ensemble.objects.drive.Snapshots;
import io.ensemble.objects.drive.Unwrapped;
import io.ensemble.objects.machine.JavaMachine;
import io.ensemble.objects.machine.NotAppliedException;
import io.ensemble.objects.machine.UnreadableException;
import io.ensemble.objects.root.Bytes;
import io.ensemble.objects.root.Root;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** How a factory's objects are found, made and ended. Thread-safe. */
final class Openings {

  /**
   * What a creation came to.
   *
   * @param handle of the object that has the name now
   * @param created whether this creation made it
   */
  record Made(Handle handle, boolean created) {}

  /** How often a state is looked for that is replaced meanwhile. */
  private static final int ATTEMPTS = 3;

  private final AtomicObjectFactory factory;
  private final AtomicObjectFactoryBuilder options;
  private final Sessions sessions;
  private final Lives lives;
  private final Snapshots snapshots;

  Openings(
      AtomicObjectFactory factory,
      AtomicObjectFactoryBuilder options,
      Sessions sessions,
      Clockwork clockwork) {
    this.factory = factory;
    this.options = options;
    this.sessions = sessions;
    this.lives = new Lives(options.store, clockwork, options.requestTimeout);
    this.snapshots = new Snapshots(options.store, clockwork, options.requestTimeout);
  }

  <T> CompletionStage<Handle> opened(String name, JavaMachine<T> machine, boolean sequential) {
    return found(name)
        .thenApply(
            found ->
                handle(
                    name,
                    machine,
                    found.orElseThrow(() -> new AtomicObjectException.NoSuchObject(name)),
                    sequential));
  }

  <T> CompletionStage<Made> made(String name, JavaMachine<T> machine, T initial) {
    Bytes state;
    try {
      state = Bytes.of(machine.store(initial));
    } catch (NotAppliedException e) {
      throw new IllegalArgumentException("the first state cannot be written: " + e.getMessage(), e);
    }
    return translated(
            name, lives.create(Keys.checked(name), machine.type().name(), state, deadline()))
        .thenApply(born -> new Made(handle(name, machine, born.found(), false), born.created()));
  }

  CompletionStage<Optional<Lives.Found>> found(String name) {
    return translated(name, lives.find(Keys.checked(name), deadline()));
  }

  /**
   * An object's state: one round trip, and another for a state that has an entry of its own of
   * which no copy is kept here.
   *
   * @param before is given back if the object has not changed since; null for a new copy
   * @return empty if the state's entry is replaced again and again, so that it cannot be read
   */
  <T> CompletionStage<Optional<Sighted<T>>> sighted(
      String name, JavaMachine<T> machine, @Nullable Sighted<T> before) {
    return translated(name, sighted(name, machine, before, ATTEMPTS));
  }

  private <T> CompletionStage<Optional<Sighted<T>>> sighted(
      String name, JavaMachine<T> machine, @Nullable Sighted<T> before, int attempts) {
    if (attempts == 0) {
      return CompletableFuture.completedFuture(Optional.empty());
    }
    return found(name)
        .thenCompose(
            found -> {
              Root root =
                  found.orElseThrow(() -> new AtomicObjectException.NoSuchObject(name)).root();
              checkType(name, machine, root);
              if (before != null && before.isAfter(root)) {
                return CompletableFuture.completedFuture(Optional.of(before));
              }
              Optional<UUID> snapshot = Glimpse.snapshot(root);
              if (snapshot.isEmpty()) {
                return CompletableFuture.completedFuture(Optional.of(sighted(machine, root, null)));
              }
              return snapshots
                  .read(snapshot.get(), deadline())
                  .thenCompose(
                      bytes ->
                          bytes.isPresent()
                              ? CompletableFuture.completedFuture(
                                  Optional.of(sighted(machine, root, bytes.get())))
                              : sighted(name, machine, before, attempts - 1));
            });
  }

  private static <T> Sighted<T> sighted(
      JavaMachine<T> machine, Root root, @Nullable Bytes snapshot) {
    T state = machine.type().face().cast(Glimpse.state(machine, root, snapshot));
    return Sighted.after(root, state);
  }

  CompletionStage<Boolean> disposed(String name) {
    return translated(name, lives.dispose(Keys.checked(name), deadline()));
  }

  private Handle handle(
      String name, JavaMachine<?> machine, Lives.Found found, boolean sequential) {
    checkType(name, machine, found.root());
    Session session = sessions.hold(name, found, machine);
    return new Handle(factory, session, machine.type().name(), sequential, options.timeout);
  }

  private static void checkType(String name, JavaMachine<?> machine, Root root) {
    if (!root.type().equals(machine.type().name())) {
      throw new AtomicObjectException.OtherType(name, machine.type().name(), root.type());
    }
  }

  private long deadline() {
    return System.nanoTime() + options.timeout.toNanos();
  }

  /** What the store fails with, as one of ours. */
  private static <T> CompletionStage<T> translated(String name, CompletionStage<T> stage) {
    return stage.handle(
        (value, failure) -> {
          if (failure == null) {
            return value;
          }
          Throwable cause = Unwrapped.of(failure);
          if (cause instanceof AtomicObjectException known) {
            throw known;
          }
          throw cause instanceof UnreadableException
              ? new AtomicObjectException.ObjectUnreadable(String.valueOf(cause.getMessage()), name)
              : new AtomicObjectException.StoreUnavailable(name, cause);
        });
  }
}
