package io.ensemble.versioning;

import org.jspecify.annotations.Nullable;

/**
 * The action for the present versions.
 *
 * @param writes whether to add {@code value}
 * @param value null for a removal
 * @param result returned to the caller
 */
record UpdateDecision<V, R>(boolean writes, @Nullable V value, @Nullable R result) {

  static <V, R> UpdateDecision<V, R> keep(@Nullable R result) {
    return new UpdateDecision<>(false, null, result);
  }

  static <V, R> UpdateDecision<V, R> write(@Nullable V value, @Nullable R result) {
    return new UpdateDecision<>(true, value, result);
  }
}
