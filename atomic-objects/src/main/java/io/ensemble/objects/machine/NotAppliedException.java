package io.ensemble.objects.machine;

import org.jspecify.annotations.Nullable;

/** A call cannot be applied to the state, by nobody: its sender is told so, and nothing changes. */
public final class NotAppliedException extends RuntimeException {

  /** Says why, and what was behind it. */
  public NotAppliedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
