package io.ensemble.versioning.drive;

import org.jspecify.annotations.Nullable;

/** An entry of a history does not have the content that was written there. */
public final class CorruptEntryException extends RuntimeException {
  private static final long serialVersionUID = 1;

  CorruptEntryException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
