package io.ensemble.versioning;

import org.jspecify.annotations.Nullable;

/**
 * What to do with what is there.
 *
 * @param writes whether to add {@code value}
 * @param value null for a removal
 * @param result what the caller is told
 */
record UpdateDecision<V, R>(boolean writes, @Nullable V value, @Nullable R result) {

  static <V, R> UpdateDecision<V, R> keep(@Nullable R result) {
    return new UpdateDecision<>(false, null, result);
  }

  static <V, R> UpdateDecision<V, R> write(@Nullable V value, @Nullable R result) {
    return new UpdateDecision<>(true, value, result);
  }
}
