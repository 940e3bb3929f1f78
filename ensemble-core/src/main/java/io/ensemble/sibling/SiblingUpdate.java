package io.ensemble.sibling;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an operation does to the siblings that a site shows: a pure function, called once or several
 * times, of which one call counts.
 *
 * @param <V> the values' type
 * @param <R> the result's type
 */
@FunctionalInterface
public interface SiblingUpdate<V, R> {

  /** Decides on what is there. */
  Decision<V, R> decide(Siblings<V> found);

  /**
   * What to do with what was found.
   *
   * @param overwritten what the write takes the place of; null to write nothing
   * @param value the new value; null removes
   * @param renewed siblings that are there, to be stored in another form; with them nothing is
   *     written
   * @param result what the caller is told
   */
  record Decision<V, R>(
      @Nullable ActorVersionVector overwritten,
      @Nullable V value,
      List<Sibling<V>> renewed,
      @Nullable R result) {

    /** Leave all as it is. */
    public static <V, R> Decision<V, R> keep(@Nullable R result) {
      return new Decision<>(null, null, List.of(), result);
    }

    /** Write {@code value}, or remove when it is null, in the place of what is {@code seen}. */
    public static <V, R> Decision<V, R> write(
        ActorVersionVector seen, @Nullable V value, @Nullable R result) {
      return new Decision<>(seen, value, List.of(), result);
    }

    /** Store siblings that were found in another form, as {@link Siblings#renewed} does. */
    public static <V, R> Decision<V, R> renew(List<Sibling<V>> renewed, @Nullable R result) {
      return new Decision<>(null, null, renewed, result);
    }
  }
}
