package io.ensemble.objects.machine;

import io.ensemble.objects.NestedCallException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Whether this thread is running a method of an atomic object, which must not call another one. */
public final class MethodContext {

  private static final ThreadLocal<@Nullable String> METHOD = new ThreadLocal<>();

  private static final ThreadLocal<@Nullable Long> POSITION = new ThreadLocal<>();

  private MethodContext() {}

  /**
   * The number of the call that this thread applies, among all that the object's name has ever
   * seen: the same wherever it is applied, larger with each call, also when the object is disposed
   * of and created again. That makes it a fencing token.
   *
   * @throws IllegalStateException if this thread runs no method of an atomic object that changes it
   */
  public static long position() {
    Long position = POSITION.get();
    if (position == null) {
      throw new IllegalStateException("no call of an atomic object is being applied");
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
   * Returns if this thread runs no such method.
   *
   * @throws NestedCallException if it does
   */
  public static void check(String callee, String method) {
    String inside = METHOD.get();
    if (inside != null) {
      throw new NestedCallException(
          "a method of an atomic object calls another one: "
              + inside
              + " calls "
              + callee
              + "."
              + method);
    }
  }

  /** Now runs {@code method}. Gives what ran before, for {@link #leave}. */
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
