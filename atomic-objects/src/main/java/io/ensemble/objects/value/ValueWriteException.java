package io.ensemble.objects.value;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * The reason why a value cannot be written. The path to the value is added while the exception
 * propagates, so that a successful write pays nothing.
 */
final class ValueWriteException extends RuntimeException {

  private static final int SHOWN_AT_EACH_END = 8;

  private final transient Deque<String> steps = new ArrayDeque<>();

  ValueWriteException(String problem) {
    this(problem, null);
  }

  ValueWriteException(String problem, @Nullable Throwable cause) {
    super(problem, cause, false, false);
  }

  /** The same, seen from one step higher. */
  ValueWriteException under(String step) {
    steps.addFirst(step);
    return this;
  }

  /** Converts to the exception for the caller, which wrote {@code root}. */
  NotWritableException from(@Nullable Object root) {
    StringBuilder path = new StringBuilder(root == null ? "null" : name(root.getClass()));
    int left = steps.size();
    int omitted = Math.max(0, left - 2 * SHOWN_AT_EACH_END);
    for (Iterator<String> each = steps.iterator(); each.hasNext(); left--) {
      String step = each.next();
      int position = steps.size() - left;
      if (omitted == 0 || position < SHOWN_AT_EACH_END || position >= SHOWN_AT_EACH_END + omitted) {
        path.append(step);
      } else if (position == SHOWN_AT_EACH_END) {
        path.append("(… ").append(omitted).append(" steps …)");
      }
    }
    return new NotWritableException("cannot write " + path + ": " + getMessage(), getCause());
  }

  private static String name(Class<?> type) {
    return type.getSimpleName().isEmpty() ? type.getName() : type.getSimpleName();
  }
}
