package io.ensemble.check.workload;

import java.util.List;
import java.util.function.Supplier;

/** Objects as one process has them open. */
@FunctionalInterface
public interface OpenObjects {

  /**
   * Opens the object of that name, which is created if need be.
   *
   * @return gives each client its use of it
   */
  Supplier<ObjectUse> open(String name);

  /** This process makes no calls any more: what goes on beside them is brought to its end. */
  default void finish() {}

  /** The entries in the store that nothing refers to, when nobody works any more. */
  default List<String> leftBehind() {
    return List.of();
  }
}
