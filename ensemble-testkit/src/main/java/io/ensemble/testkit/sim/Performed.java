package io.ensemble.testkit.sim;

import org.jspecify.annotations.Nullable;

/**
 * What a site did with a request.
 *
 * @param answer its answer
 * @param denial what it may answer instead, though it took effect; null if it may not
 * @param effect for the trace
 */
record Performed<T extends @Nullable Object>(
    @Nullable T answer, @Nullable T denial, String effect) {

  static <T extends @Nullable Object> Performed<T> of(@Nullable T answer, String effect) {
    return new Performed<>(answer, null, effect);
  }

  static Performed<Boolean> yes(String effect) {
    return new Performed<>(true, false, effect);
  }

  static Performed<Boolean> no() {
    return new Performed<>(false, null, "no");
  }
}
