package io.ensemble.testkit.trace;

import org.jspecify.annotations.Nullable;

/** A line of a file is not one of a trace. */
public final class MalformedTraceException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  MalformedTraceException(long line, String what, @Nullable Throwable cause) {
    super("line %d of the trace: %s".formatted(line, what), cause);
  }
}
