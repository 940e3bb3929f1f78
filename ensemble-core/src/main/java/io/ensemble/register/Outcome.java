package io.ensemble.register;

import org.jspecify.annotations.Nullable;

/** How an operation on a register ended. */
public sealed interface Outcome<V, R> {

  /**
   * It took effect, or was a read or an unmet condition, at one point between its call and now.
   *
   * @param result what the update answered
   * @param ballot the chosen ballot that the result was read from or written at
   * @param content the chosen content, after the operation
   * @param wrote whether the operation changed the register
   */
  record Done<V, R>(@Nullable R result, Ballot ballot, Content<V> content, boolean wrote)
      implements Outcome<V, R> {}

  /** It certainly had no effect and never will. */
  record Refused<V, R>() implements Outcome<V, R> {}

  /** It was proposed and may take effect at any time, or never. */
  record Unknown<V, R>() implements Outcome<V, R> {}
}
