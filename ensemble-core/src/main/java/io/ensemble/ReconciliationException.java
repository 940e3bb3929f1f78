package io.ensemble;

/**
 * A policy failed to make one value of a key's siblings; the cause is its exception. Nothing was
 * written and all siblings are kept: read them, and write the value that is to replace them.
 */
public final class ReconciliationException extends EnsembleException {

  private static final long serialVersionUID = 1L;

  private final int siblings;

  /**
   * @param cache the cache's name
   * @param siblings how many there are
   * @param cause the policy's exception
   */
  public ReconciliationException(String cache, int siblings, Throwable cause) {
    super(
        "siblings were not reconciled to one value, the write was not applied",
        cache,
        " siblings=" + siblings);
    this.siblings = siblings;
    initCause(cause);
  }

  /** How many different values there are. */
  public int siblings() {
    return siblings;
  }
}
