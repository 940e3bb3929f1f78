package io.ensemble.objects.value;

import org.jspecify.annotations.Nullable;

/**
 * A value cannot be written: the message says which class, on what path (as {@code
 * Order.lines[2]}), and what to do about it. The caller's mistake: nothing was done.
 */
public final class NotWritableException extends IllegalArgumentException {

  NotWritableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
