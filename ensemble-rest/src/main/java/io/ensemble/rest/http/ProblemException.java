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
  private final @Nullable String attemptedUser;

  /**
   * @param problem the problem to send
   */
  public ProblemException(Problem problem) {
    this(problem, null);
  }

  /**
   * An exception with a claimed name.
   *
   * @param attemptedUser the name that the request claimed, for the audit and not for the response;
   *     null if there was none
   */
  public ProblemException(Problem problem, @Nullable String attemptedUser) {
    super(problem.detail(), null, false, false);
    this.problem = problem;
    this.attemptedUser = attemptedUser;
  }

  /** The name that a request claimed without proof. */
  public Optional<String> attemptedUser() {
    return Optional.ofNullable(attemptedUser);
  }

  /** The problem to send. */
  public Problem problem() {
    return problem;
  }
}
