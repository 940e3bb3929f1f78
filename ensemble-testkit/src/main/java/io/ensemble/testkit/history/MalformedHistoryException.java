package io.ensemble.testkit.history;

import org.jspecify.annotations.Nullable;

/**
 * A text or list that is not a history and cannot be judged. A line is not an operation, the model
 * does not define an operation, or a client has two operations at the same time. The message names
 * the line, the accepted form and the actual value. A second reading gives the same result.
 */
public final class MalformedHistoryException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  private final long line;

  public MalformedHistoryException(long line, String problem, @Nullable Throwable cause) {
    super("line " + line + ": " + problem, cause);
    this.line = line;
  }

  public MalformedHistoryException(long line, String problem) {
    this(line, problem, null);
  }

  /** The line, counted from 1; for a history in memory, the position of the operation. */
  public long line() {
    return line;
  }
}
