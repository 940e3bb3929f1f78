package io.ensemble.cache.weak.replica;

import io.ensemble.site.SiteException;

/** There was no store to send a request to, so the request certainly had no effect. */
public final class RequestNotSentException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final transient SiteException siteException;

  RequestNotSentException(SiteException siteException) {
    super(siteException.getMessage(), siteException);
    this.siteException = siteException;
  }

  /** The engine closed before the store was open. */
  public static RequestNotSentException closed(String site) {
    return new RequestNotSentException(
        SiteException.notSent(
            site, SiteException.Reason.UNREACHABLE, "the cache was closed by this process"));
  }

  SiteException siteException() {
    return siteException;
  }
}
