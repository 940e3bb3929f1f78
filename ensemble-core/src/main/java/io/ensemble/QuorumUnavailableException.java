package io.ensemble;

/** Too few sites answered by the deadline, and the operation had no effect. A retry is safe. */
public final class QuorumUnavailableException extends EnsembleException {

  private static final long serialVersionUID = 1L;

  private final transient Shortfall shortfall;

  /**
   * @param cache the cache's name
   * @param shortfall who answered and who did not
   */
  public QuorumUnavailableException(String cache, Shortfall shortfall) {
    super("too few sites answered, nothing was done", cache, "; " + shortfall);
    this.shortfall = shortfall;
  }

  /** Who answered and who did not. */
  public Shortfall shortfall() {
    return shortfall;
  }
}
