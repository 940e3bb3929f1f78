package io.ensemble.objects.machine;

import io.ensemble.objects.NestedCallException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The context of a thread that runs a method of an atomic object; such a method must not call
 * another atomic object.
 */
public final class MethodContext {

  private static final ThreadLocal<@Nullable String> METHOD = new ThreadLocal<>();

  private static final ThreadLocal<@Nullable Long> POSITION = new ThreadLocal<>();

  private MethodContext() {}

  /**
   * The number of the call that this thread applies, among all calls ever made under the name of
   * the object. The number is the same in every process that applies the call, and increases with
   * each call, also when the object is disposed of and created again. So it can be used as a
   * fencing token.
   *
   * @throws IllegalStateException if this thread does not apply a call of an atomic object
   */
  public static long position() {
    Long position = POSITION.get();
    if (position == null) {
      throw new IllegalStateException("no call of an atomic object is in progress");
    }
    return position;
  }

  /** Runs {@code task} as the call of that number. */
  public static <T> T at(long position, Supplier<T> task) {
    POSITION.set(position);
    try {
      return task.get();
    } finally {
      POSITION.remove();
    }
  }

  /**
   * Returns if this thread does not run a method of an atomic object.
   *
   * @throws NestedCallException if it does
   */
  public static void check(String callee, String method) {
    String inside = METHOD.get();
    if (inside != null) {
      throw new NestedCallException(
          "a method of an atomic object must not call another one: "
              + inside
              + " calls "
              + callee
              + "."
              + method);
    }
  }

  /**
   * Marks this thread as running {@code method}. Returns the previous method, for {@link #leave}.
   */
  static @Nullable String enter(String method) {
    String before = METHOD.get();
    METHOD.set(method);
    return before;
  }

  static void leave(@Nullable String before) {
    if (before == null) {
      METHOD.remove();
    } else {
      METHOD.set(before);
    }
  }
}
