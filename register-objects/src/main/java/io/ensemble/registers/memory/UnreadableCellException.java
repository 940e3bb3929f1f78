package io.ensemble.registers.memory;

import org.jspecify.annotations.Nullable;

/** The content of a register is damaged, or was written by a later version. */
public final class UnreadableCellException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  UnreadableCellException(String why) {
    this(why, null);
  }

  UnreadableCellException(String why, @Nullable Throwable cause) {
    super(why, cause);
  }
}
