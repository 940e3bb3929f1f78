package io.ensemble.objects.machine;

import org.jspecify.annotations.Nullable;

/**
 * Bytes that this process cannot read: damaged, of a later format, or of a class that this process
 * does not have.
 */
public final class UnreadableException extends RuntimeException {

  /** The message says which value was expected and which was found. */
  public UnreadableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
