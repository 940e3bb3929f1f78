package io.ensemble.schedule;

import org.jspecify.annotations.Nullable;

/** Threads and their witnesses. */
final class Witnesses {

  static final ThreadLocal<@Nullable Witness> CURRENT = new ThreadLocal<>();

  private Witnesses() {}

  static void restore(@Nullable Witness before) {
    if (before == null) {
      CURRENT.remove();
    } else {
      CURRENT.set(before);
    }
  }
}
