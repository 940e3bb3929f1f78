package io.ensemble.objects;

import io.ensemble.objects.drive.Clockwork;
import io.ensemble.objects.drive.Keys;
import io.ensemble.objects.drive.Lives;
import io.ensemble.objects.drive.Unwrapped;
import io.ensemble.objects.machine.JavaMachine;
import io.ensemble.objects.machine.NotAppliedException;
import io.ensemble.objects.machine.UnreadableException;
import io.ensemble.objects.root.Body;
import io.ensemble.objects.root.Bytes;
import io.ensemble.objects.root.Root;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** How a factory's objects are found, made and ended. Thread-safe. */
final class Openings {

  /**
   * What a creation came to.
   *
   * @param handle of the object that has the name now
   * @param created whether this creation made it
   */
  record Made(Handle handle, boolean created) {}

  private final AtomicObjectFactory factory;
  private final AtomicObjectFactoryBuilder options;
  private final Sessions sessions;
  private final Lives lives;

  Openings(
      AtomicObjectFactory factory,
      AtomicObjectFactoryBuilder options,
      Sessions sessions,
      Clockwork clockwork) {
    this.factory = factory;
    this.options = options;
    this.sessions = sessions;
    this.lives = new Lives(options.store, clockwork, options.requestTimeout);
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
   * A copy of an object's state.
   *
   * @return empty if the state does not stand in the object's first entry
   */
  <T> CompletionStage<Optional<T>> state(String name, JavaMachine<T> machine) {
    return translated(name, found(name).thenApply(found -> state(name, machine, found)));
  }

  private <T> Optional<T> state(String name, JavaMachine<T> machine, Optional<Lives.Found> found) {
    Root root = found.orElseThrow(() -> new AtomicObjectException.NoSuchObject(name)).root();
    checkType(name, machine, root);
    return root.body() instanceof Body.Inline inline
        ? Optional.of(machine.type().face().cast(machine.load(inline.state().array())))
        : Optional.empty();
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
