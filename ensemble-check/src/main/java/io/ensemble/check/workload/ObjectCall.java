package io.ensemble.check.workload;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One call on an object.
 *
 * @param op its name in the history
 * @param entry the entry of a map that it accesses; null for none
 * @param in its argument in the history; null for none
 * @param ask makes the call, waits, and returns the result for the history
 */
public record ObjectCall(
    String op,
    @Nullable String entry,
    @Nullable Object in,
    Supplier<? extends @Nullable Object> ask) {

  /**
   * A result of {@code ask} that includes the actual argument.
   *
   * @param in the actual argument
   */
  public record ArgumentAndResult(@Nullable Object in, @Nullable Object result) {}

  /** A result of {@code ask} without an answer. */
  public enum MissingAnswer {
    /** The call had no effect. */
    REFUSED,
    /** The call may have had an effect, or may still have one. */
    UNKNOWN
  }

  static ObjectCall of(String op, @Nullable Object in, Supplier<? extends @Nullable Object> ask) {
    return new ObjectCall(op, null, in, ask);
  }

  /** A call without a result. */
  static ObjectCall of(String op, @Nullable Object in, Runnable ask) {
    return new ObjectCall(
        op,
        null,
        in,
        () -> {
          ask.run();
          return null;
        });
  }
}
