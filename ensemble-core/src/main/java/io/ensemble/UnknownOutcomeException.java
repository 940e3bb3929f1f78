package io.ensemble;

/**
 * The deadline came before the outcome: the write may have been applied, may still be, or never
 * will. Read before you retry a write that must not be applied twice.
 */
public final class UnknownOutcomeException extends EnsembleException {

  private static final long serialVersionUID = 1L;

  private final transient QuorumFailure quorumFailure;

  /**
   * @param cache the cache's name
   * @param quorumFailure which sites answered and which did not
   */
  public UnknownOutcomeException(String cache, QuorumFailure quorumFailure) {
    super("outcome unknown, the operation may have been applied", cache, "; " + quorumFailure);
    this.quorumFailure = quorumFailure;
  }

  /** Which sites answered and which did not. */
  public QuorumFailure shortfall() {
    return quorumFailure;
  }
}
