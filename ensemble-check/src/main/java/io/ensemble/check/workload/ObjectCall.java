package io.ensemble.check.workload;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One call on an object.
 *
 * @param op its name in the history
 * @param entry the entry of a map that it is about; null for none
 * @param in its argument in the history; null for none
 * @param ask makes it, waits, and gives what stands in the history as its result
 */
public record ObjectCall(
    String op,
    @Nullable String entry,
    @Nullable Object in,
    Supplier<? extends @Nullable Object> ask) {

  /**
   * A result of {@code ask}, where more has turned out about the call.
   *
   * @param in what its argument was, after all
   */
  public record Ended(@Nullable Object in, @Nullable Object result) {}

  /** A result of {@code ask} that is no answer. */
  public enum Unanswered {
    /** The call had no effect. */
    REFUSED,
    /** It may have had one, or may have one yet. */
    UNKNOWN
  }

  static ObjectCall of(String op, @Nullable Object in, Supplier<? extends @Nullable Object> ask) {
    return new ObjectCall(op, null, in, ask);
  }

  /** One without a result. */
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
