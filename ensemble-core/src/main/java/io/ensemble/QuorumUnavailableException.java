package io.ensemble;

/** Too few sites answered by the deadline, and the operation had no effect. A retry is safe. */
public final class QuorumUnavailableException extends EnsembleException {

  private static final long serialVersionUID = 1L;

  private final transient QuorumFailure quorumFailure;

  /**
   * @param cache the cache's name
   * @param quorumFailure which sites answered and which did not
   */
  public QuorumUnavailableException(String cache, QuorumFailure quorumFailure) {
    super("too few sites answered, the operation was not applied", cache, "; " + quorumFailure);
    this.quorumFailure = quorumFailure;
  }

  /** Which sites answered and which did not. */
  public QuorumFailure shortfall() {
    return quorumFailure;
  }
}
