package io.ensemble.rest.http;

import java.io.Serial;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A problem on its way to the caller. Carries no stack trace: it is an answer, not a fault. */
public final class ProblemException extends RuntimeException {

  @Serial private static final long serialVersionUID = 1L;

  private final transient Problem problem;
  private final @Nullable String tried;

  /**
   * @param problem what to answer
   */
  public ProblemException(Problem problem) {
    this(problem, null);
  }

  /**
   * As the other one.
   *
   * @param tried whose name came, for the audit and not for the answer; null if none did
   */
  public ProblemException(Problem problem, @Nullable String tried) {
    super(problem.detail(), null, false, false);
    this.problem = problem;
    this.tried = tried;
  }

  /** Whose name came with what does not prove it. */
  public Optional<String> tried() {
    return Optional.ofNullable(tried);
  }

  /** What to answer. */
  public Problem problem() {
    return problem;
  }
}
