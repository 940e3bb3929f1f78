package io.ensemble.testkit.explore;

import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A step that may be taken in a world.
 *
 * @param name describes the step; building the text costs more than many a step
 * @param take takes it, in a copy of the world
 */
record Step<W>(Supplier<String> name, Supplier<W> take) {

  /** A step that copies the world and changes the copy. */
  static <W> Step<W> of(Supplier<String> name, Supplier<W> copy, Consumer<W> change) {
    return new Step<>(
        name,
        () -> {
          W next = copy.get();
          change.accept(next);
          return next;
        });
  }

  String what() {
    return name.get();
  }
}
