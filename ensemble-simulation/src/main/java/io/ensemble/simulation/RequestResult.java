package io.ensemble.simulation;

import org.jspecify.annotations.Nullable;

/**
 * The result of a request at a site.
 *
 * @param answer the answer
 * @param denial a possible other answer, though the request took effect; null if there is none
 * @param effect the effect, for the trace
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
