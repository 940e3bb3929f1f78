package io.ensemble.objects.machine;

import io.ensemble.objects.NestedCallException;
import org.jspecify.annotations.Nullable;

/** Whether this thread is running a method of an atomic object, which must not call another one. */
public final class Inside {

  private static final ThreadLocal<@Nullable String> METHOD = new ThreadLocal<>();

  private Inside() {}

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
