package io.ensemble.registers;

import org.jspecify.annotations.Nullable;

/**
 * An operation on the state of an object: a function from a state to the next state and a result.
 * It may be called any number of times, of which one call counts: it has no side effects, and does
 * not change the state that it is given.
 *
 * @param <S> the states' type
 * @param <V> the results' type
 */
@FunctionalInterface
public interface StateOperation<S, V extends @Nullable Object> {

  /**
   * The next state, the same as the present one if the operation only reads, and the result.
   *
   * @param <S> the states' type
   * @param <V> the results' type
   */
  record Effect<S, V extends @Nullable Object>(S state, V result) {}

  Effect<S, V> apply(S state);
}
