package io.ensemble;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The decision of a function on the entry of one key, together with the result for the caller. See
 * {@link AsyncEnsembleCache#update}.
 *
 * @param action the effect on the entry
 * @param value the new value if the action writes one; otherwise null
 * @param lifespan of the new value, if {@code action} is {@link Action#WRITE}; zero or negative for
 *     no expiry
 * @param result the result for the caller; null if there is none
 * @param <V> the values' type
 * @param <R> the result's type
 */
public record EntryUpdate<V, R>(
    Action action, @Nullable V value, Duration lifespan, @Nullable R result) {

  /** The effect of an update on the entry. */
  public enum Action {
    /** Nothing is written. */
    KEEP,
    /** The value is written with a lifespan of its own. */
    WRITE,
    /**
     * The value is written and expires when the present value would. If the key is absent, the
     * value does not expire.
     */
    WRITE_WITH_PRESENT_EXPIRY,
    /** The key is removed. Without a present value nothing is written. */
    REMOVE
  }

  /**
   * @throws NullPointerException if the action writes and there is no value
   */
  public EntryUpdate {
    Objects.requireNonNull(lifespan, "lifespan");
    if (action == Action.WRITE || action == Action.WRITE_WITH_PRESENT_EXPIRY) {
      Objects.requireNonNull(value, "value");
    }
  }

  /** Writes nothing. */
  public static <V, R> EntryUpdate<V, R> keep(@Nullable R result) {
    return new EntryUpdate<>(Action.KEEP, null, Duration.ZERO, result);
  }

  /** Writes {@code value}; a lifespan that is not positive means no expiry. */
  public static <V, R> EntryUpdate<V, R> write(V value, Duration lifespan, @Nullable R result) {
    return new EntryUpdate<>(Action.WRITE, value, lifespan, result);
  }

  /** Writes {@code value}, which expires when the present value would. */
  public static <V, R> EntryUpdate<V, R> writeWithPresentExpiry(V value, @Nullable R result) {
    return new EntryUpdate<>(Action.WRITE_WITH_PRESENT_EXPIRY, value, Duration.ZERO, result);
  }

  /** Removes the key. */
  public static <V, R> EntryUpdate<V, R> remove(@Nullable R result) {
    return new EntryUpdate<>(Action.REMOVE, null, Duration.ZERO, result);
  }
}
