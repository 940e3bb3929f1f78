package io.ensemble.versioning.drive;

import org.jspecify.annotations.Nullable;

/** An entry beside a history holds something else than was written there. */
public final class CorruptEntryException extends RuntimeException {
  private static final long serialVersionUID = 1;

  CorruptEntryException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
