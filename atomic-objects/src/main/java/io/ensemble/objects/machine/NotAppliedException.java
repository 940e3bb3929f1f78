package io.ensemble.objects.machine;

import org.jspecify.annotations.Nullable;

/**
 * A call cannot be applied to the state by any process. The caller gets this error, and the state
 * does not change.
 */
public final class NotAppliedException extends RuntimeException {

  /** The message says why; {@code cause} is the original failure. */
  public NotAppliedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
