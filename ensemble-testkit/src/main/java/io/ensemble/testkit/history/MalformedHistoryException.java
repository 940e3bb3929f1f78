package io.ensemble.testkit.history;

import org.jspecify.annotations.Nullable;

/**
 * A history that cannot be judged because it is not one: a line that is not an operation, an
 * operation that the model does not know, or a client with two operations at once. The message
 * names the line and says what was wanted there and what came. Reading again gives the same.
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

  /** The line, counted from 1; for a history in memory, the operation's place in it. */
  public long line() {
    return line;
  }
}
