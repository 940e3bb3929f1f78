package io.ensemble.objects;

import io.ensemble.objects.machine.MethodContext;
import java.util.function.Supplier;

/**
 * The number of a call among all that were ever made under an object's name. An object that grants
 * something hands it out as a fencing token: it is the same wherever the call is applied, and grows
 * with each call, also over the object's end and its creation anew.
 */
public final class CallPosition {

  private CallPosition() {}

  /**
   * That of the call that this thread applies.
   *
   * @throws IllegalStateException if it applies none
   */
  public static long current() {
    return MethodContext.position();
  }

  /** Runs {@code task} as if it were the call of that number: for tests of a class by itself. */
  public static <T> T as(long position, Supplier<T> task) {
    return MethodContext.at(position, task);
  }
}
