package io.ensemble.sibling;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The effect of an operation on the siblings that a site shows: a pure function, called once or
 * several times, of which one call counts.
 *
 * @param <V> the values' type
 * @param <R> the result's type
 */
@FunctionalInterface
public interface SiblingUpdate<V, R> {

  /** Decides on the siblings found. */
  Decision<V, R> decide(Siblings<V> found);

  /**
   * The decision on the siblings found.
   *
   * @param overwritten the writes that this write replaces; null to write nothing
   * @param value the new value; null removes
   * @param renewed existing siblings to be stored in another form; the operation then writes
   *     nothing else
   * @param result the result for the caller
   */
  record Decision<V, R>(
      @Nullable ActorVersionVector overwritten,
      @Nullable V value,
      List<Sibling<V>> renewed,
      @Nullable R result) {

    /** Leaves the siblings unchanged. */
    public static <V, R> Decision<V, R> keep(@Nullable R result) {
      return new Decision<>(null, null, List.of(), result);
    }

    /**
     * Writes {@code value}, or removes the key when it is null, and replaces the writes in {@code
     * seen}.
     */
    public static <V, R> Decision<V, R> write(
        ActorVersionVector seen, @Nullable V value, @Nullable R result) {
      return new Decision<>(seen, value, List.of(), result);
    }

    /** Stores existing siblings in another form, as {@link Siblings#renewed} does. */
    public static <V, R> Decision<V, R> renew(List<Sibling<V>> renewed, @Nullable R result) {
      return new Decision<>(null, null, renewed, result);
    }
  }
}
