package io.ensemble;

/**
 * An operation on a cache failed; the subclass gives the reason, whether there may be an effect,
 * and whether a retry is safe. {@link QuorumUnavailableException}, {@link WriterPresentException},
 * {@link ReconciliationException} and {@link PrivateCacheException}: certainly no effect. {@link
 * UnknownOutcomeException}: perhaps an effect. {@link ClockSkewException}: the write has lost to
 * the present entry.
 */
public sealed class EnsembleException extends RuntimeException
    permits ClockSkewException,
        ListenLimitException,
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
