package io.ensemble.schedule;

import org.jspecify.annotations.Nullable;

/** The request listener of each thread. */
final class CurrentRequestListener {

  static final ThreadLocal<@Nullable RequestListener> CURRENT = new ThreadLocal<>();

  private CurrentRequestListener() {}

  static void restore(@Nullable RequestListener before) {
    if (before == null) {
      CURRENT.remove();
    } else {
      CURRENT.set(before);
    }
  }
}
