package io.ensemble.register;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What an operation does to the value it finds: a pure function, called once or several times, of
 * which one call counts.
 *
 * @param <V> the value's type
 * @param <R> the result's type
 */
@FunctionalInterface
public interface Update<V, R> {

  /** Decides on {@code current}, null when the key is absent. */
  Decision<V, R> decide(@Nullable V current);

  /** Decides on the register's whole content; most need only its value. */
  default Decision<V, R> decideOn(Content<V> content) {
    return decide(content.value());
  }

  /**
   * What to do with the value that was found.
   *
   * @param writes whether to write {@code value}
   * @param value the new value when {@code writes}; null removes
   * @param result what the caller is told
   */
  record Decision<V, R>(boolean writes, @Nullable V value, @Nullable R result) {

    long digest() {
      return RegisterDigest.of(
          writes ? 1 : 0, RegisterDigest.of(Objects.hashCode(value), Objects.hashCode(result)));
    }

    /** Leave the register as it is. */
    public static <V, R> Decision<V, R> keep(@Nullable R result) {
      return new Decision<>(false, null, result);
    }

    /** Write {@code value}, or remove the key when it is null. */
    public static <V, R> Decision<V, R> write(@Nullable V value, @Nullable R result) {
      return new Decision<>(true, value, result);
    }
  }

  /** Reads the value. */
  static <V> Update<V, V> read() {
    return Decision::keep;
  }
}
