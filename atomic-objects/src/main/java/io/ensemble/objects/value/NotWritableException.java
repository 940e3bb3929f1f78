package io.ensemble.objects.value;

import org.jspecify.annotations.Nullable;

/**
 * A value cannot be written. The message says which class, at which path (as {@code
 * Order.lines[2]}), and the remedy. The caller's mistake: the call had no effect.
 */
public final class NotWritableException extends IllegalArgumentException {

  NotWritableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
