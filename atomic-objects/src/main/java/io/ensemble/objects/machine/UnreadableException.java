package io.ensemble.objects.machine;

import org.jspecify.annotations.Nullable;

/**
 * Bytes that this process cannot make sense of: damaged, of a later format, or of a class that it
 * does not have.
 */
public final class UnreadableException extends RuntimeException {

  /** Says what was wanted, and what came. */
  public UnreadableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
