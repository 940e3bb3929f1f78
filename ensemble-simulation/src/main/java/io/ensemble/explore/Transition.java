package io.ensemble.explore;

import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A transition from one world to the next.
 *
 * @param name describes the transition; to build the text often costs more than to take the
 *     transition
 * @param take takes the transition, in a copy of the world
 */
public record Transition<W>(Supplier<String> name, Supplier<W> take) {

  /** A transition that copies the world and changes the copy. */
  public static <W> Transition<W> of(Supplier<String> name, Supplier<W> copy, Consumer<W> change) {
    return new Transition<>(
        name,
        () -> {
          W next = copy.get();
          change.accept(next);
          return next;
        });
  }

  public String what() {
    return name.get();
  }
}
