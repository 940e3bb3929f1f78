package io.ensemble.check.workload;

import java.util.List;
import java.util.function.Supplier;

/** The open objects of one process. */
@FunctionalInterface
public interface OpenObjects {

  /**
   * Opens the object of that name, and creates it if necessary.
   *
   * @return supplies each client with its use of the object
   */
  Supplier<ObjectUse> open(String name);

  /** Waits for background work to end; this process makes no calls any more. */
  default void finish() {}

  /** The unreferenced entries in the store, when no process works any more. */
  default List<String> leftBehind() {
    return List.of();
  }
}
