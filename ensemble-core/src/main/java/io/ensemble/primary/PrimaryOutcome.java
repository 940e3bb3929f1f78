package io.ensemble.primary;

import org.jspecify.annotations.Nullable;

/** How an operation ended. */
public sealed interface PrimaryOutcome<V, R> {

  /**
   * The operation took effect, provided that the lease under which it began holds at this moment.
   * If the lease does not hold, a write is unknown and a read must be repeated.
   *
   * @param copy the copy that was read or written
   * @param wrote whether the operation changed the key
   */
  record Done<V, R>(@Nullable R result, Copy<V> copy, boolean wrote)
      implements PrimaryOutcome<V, R> {}

  /** The operation had no effect and never will have one. */
  record Refused<V, R>() implements PrimaryOutcome<V, R> {}

  /** The operation may have taken effect, may still take effect, or never will. */
  record Unknown<V, R>() implements PrimaryOutcome<V, R> {}

  /**
   * The operation had no effect and never will have one, because its epoch is over: {@code epoch}
   * was seen.
   */
  record Superseded<V, R>(long epoch) implements PrimaryOutcome<V, R> {}
}
