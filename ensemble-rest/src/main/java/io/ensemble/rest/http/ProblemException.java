package io.ensemble.rest.http;

import java.io.Serial;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A problem to be sent to the caller. The exception has no stack trace, because it is a response
 * and not a defect.
 */
public final class ProblemException extends RuntimeException {

  @Serial private static final long serialVersionUID = 1L;

  private final transient Problem problem;
  private final @Nullable String claimedName;

  /**
   * @param problem the problem to send
   */
  public ProblemException(Problem problem) {
    this(problem, null);
  }

  /**
   * An exception with a claimed name.
   *
   * @param claimedName the name that the request claimed, for the audit and not for the response;
   *     null if there was none
   */
  public ProblemException(Problem problem, @Nullable String claimedName) {
    super(problem.detail(), null, false, false);
    this.problem = problem;
    this.claimedName = claimedName;
  }

  /** The name that a request claimed without proof. */
  public Optional<String> claimedName() {
    return Optional.ofNullable(claimedName);
  }

  /** The problem to send. */
  public Problem problem() {
    return problem;
  }
}
