package io.ensemble;

/**
 * An ensemble cache could not do what it was asked; the subclass says why, whether it had an
 * effect, and whether a retry is safe. Four certainly had none, {@link QuorumUnavailableException},
 * {@link WriterPresentException}, {@link ReconciliationException} and {@link
 * PrivateCacheException}; after {@link UnknownOutcomeException} there may be one. A write that
 * fails with {@link ClockSkewException} has lost to the entry that is there.
 */
public sealed class EnsembleException extends RuntimeException
    permits ClockSkewException,
        PrivateCacheException,
        QuorumUnavailableException,
        ReconciliationException,
        UnknownOutcomeException,
        WriterPresentException {

  private static final long serialVersionUID = 1L;

  private final String cache;

  EnsembleException(String what, String cache, String trailing) {
    super(what + "; cache=" + cache + trailing);
    this.cache = cache;
  }

  /** The cache's name. */
  public String cache() {
    return cache;
  }
}
