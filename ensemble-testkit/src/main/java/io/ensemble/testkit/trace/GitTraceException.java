package io.ensemble.testkit.trace;

import org.jspecify.annotations.Nullable;

/** A repository cannot be read; no trace was made. */
public final class GitTraceException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  GitTraceException(String line, @Nullable Throwable cause) {
    super(line, cause);
  }

  GitTraceException(String line) {
    this(line, null);
  }
}
