package io.ensemble;

/** An ensemble cache could not do what it was asked; the subclass says whether a retry is safe. */
public sealed class EnsembleException extends RuntimeException
    permits QuorumUnavailableException, UnknownOutcomeException {

  private static final long serialVersionUID = 1L;

  private final transient Shortfall shortfall;

  EnsembleException(String what, String cache, Shortfall shortfall) {
    super(what + "; cache=" + cache + "; " + shortfall);
    this.shortfall = shortfall;
  }

  /** Who answered and who did not. */
  public Shortfall shortfall() {
    return shortfall;
  }
}
