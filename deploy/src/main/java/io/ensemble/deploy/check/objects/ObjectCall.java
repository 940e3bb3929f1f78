package io.ensemble.deploy.check.objects;

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
