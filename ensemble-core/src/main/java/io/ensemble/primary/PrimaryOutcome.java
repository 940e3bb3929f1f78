package io.ensemble.primary;

import org.jspecify.annotations.Nullable;

/** How an operation ended. */
public sealed interface PrimaryOutcome<V, R> {

  /**
   * It took effect, provided that the lease under which it was begun holds at this moment; if not,
   * a write is unknown and a read must be repeated.
   *
   * @param copy what was read or written
   * @param wrote whether the operation changed the key
   */
  record Done<V, R>(@Nullable R result, Copy<V> copy, boolean wrote)
      implements PrimaryOutcome<V, R> {}

  /** It had no effect and never will. */
  record Refused<V, R>() implements PrimaryOutcome<V, R> {}

  /** It may have taken effect, may still, or never will. */
  record Unknown<V, R>() implements PrimaryOutcome<V, R> {}

  /** It had no effect and never will, for the epoch is over: {@code epoch} was seen. */
  record Superseded<V, R>(long epoch) implements PrimaryOutcome<V, R> {}
}
