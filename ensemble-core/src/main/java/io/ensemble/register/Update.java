package io.ensemble.register;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The effect of an operation on the value that it finds: a pure function, called once or several
 * times, of which one call counts.
 *
 * @param <V> the value's type
 * @param <R> the result's type
 */
@FunctionalInterface
public interface Update<V, R> {

  /** Decides on {@code current}, null when the key is absent. */
  Decision<V, R> decide(@Nullable V current);

  /** Decides on the register's whole content; most updates need only its value. */
  default Decision<V, R> decideOn(Content<V> content) {
    return decide(content.value());
  }

  /**
   * Whether the caller knows the value that it replaces, and will probably replace the new one as
   * well. What the sites need for that is then read together with the write. A hint.
   */
  default boolean expectsNextWrite() {
    return false;
  }

  /**
   * The decision on the value that was found.
   *
   * @param writes whether to write {@code value}
   * @param value the new value when {@code writes}; null removes
   * @param result the result for the caller
   */
  record Decision<V, R>(boolean writes, @Nullable V value, @Nullable R result) {

    long digest() {
      return RegisterDigest.of(
          writes ? 1 : 0, RegisterDigest.of(Objects.hashCode(value), Objects.hashCode(result)));
    }

    /** Leaves the register unchanged. */
    public static <V, R> Decision<V, R> keep(@Nullable R result) {
      return new Decision<>(false, null, result);
    }

    /** Writes {@code value}, or removes the key when it is null. */
    public static <V, R> Decision<V, R> write(@Nullable V value, @Nullable R result) {
      return new Decision<>(true, value, result);
    }
  }

  /** The same update, of a caller that will probably replace what it writes. */
  static <V, R> Update<V, R> expectingNextWrite(Update<V, R> update) {
    return new Update<>() {
      @Override
      public Decision<V, R> decide(@Nullable V current) {
        return update.decide(current);
      }

      @Override
      public Decision<V, R> decideOn(Content<V> content) {
        return update.decideOn(content);
      }

      @Override
      public boolean expectsNextWrite() {
        return true;
      }
    };
  }

  /** This update, with the hint of {@code other}, which it wraps. */
  default Update<V, R> withHintOf(Update<?, ?> other) {
    return other.expectsNextWrite() ? expectingNextWrite(this) : this;
  }

  /** Reads the value. */
  static <V> Update<V, V> read() {
    return Decision::keep;
  }
}
