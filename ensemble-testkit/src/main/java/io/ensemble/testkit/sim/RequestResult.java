package io.ensemble.testkit.sim;

import org.jspecify.annotations.Nullable;

/**
 * What a site did with a request.
 *
 * @param answer its answer
 * @param denial what it may answer instead, though it took effect; null if it may not
 * @param effect for the trace
 */
record RequestResult<T extends @Nullable Object>(
    @Nullable T answer, @Nullable T denial, String effect) {

  static <T extends @Nullable Object> RequestResult<T> of(@Nullable T answer, String effect) {
    return new RequestResult<>(answer, null, effect);
  }

  static RequestResult<Boolean> yes(String effect) {
    return new RequestResult<>(true, false, effect);
  }

  static RequestResult<Boolean> no() {
    return new RequestResult<>(false, null, "no");
  }
}
