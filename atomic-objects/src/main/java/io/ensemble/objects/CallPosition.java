package io.ensemble.objects;

import io.ensemble.objects.machine.MethodContext;
import java.util.function.Supplier;

/**
 * The number of a call among all calls that were ever made under the name of an object. An object
 * that grants a resource can use it as a fencing token. The number is the same in every process
 * that applies the call, and increases with each call, also when the object is disposed of and
 * created again.
 */
public final class CallPosition {

  private CallPosition() {}

  /**
   * The number of the call that this thread applies.
   *
   * @throws IllegalStateException if this thread applies no call
   */
  public static long current() {
    return MethodContext.position();
  }

  /**
   * Runs {@code task} as if it were the call of that number, for tests of a class without a store.
   */
  public static <T> T as(long position, Supplier<T> task) {
    return MethodContext.at(position, task);
  }
}
