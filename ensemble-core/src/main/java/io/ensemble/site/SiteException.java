package io.ensemble.site;

/** A site did not do what it was asked. {@link #reason()} says what may be done about it. */
public final class SiteException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** Why. */
  public enum Reason {
    /** No connection; the request was not sent, or its fate is unknown. */
    UNREACHABLE,
    /** No answer in time; the request may have been performed, or still be. */
    TIMED_OUT,
    /** The store is gone: the site lost its memory, or the store was closed on purpose. */
    STORE_LOST,
    /** The site refuses the user or the password, or offers no TLS that we trust. */
    NOT_ALLOWED,
    /** The site cannot give what a store of this kind must have. */
    UNSUITABLE,
    /** Too much is under way at this site; nothing was sent. */
    BUSY,
    /** The site answered with an error; the request may have been performed. */
    FAILED
  }

  private final String site;
  private final Reason reason;

  /**
   * @param site the site's name
   * @param reason why
   * @param detail what was wanted, what came
   */
  public SiteException(String site, Reason reason, String detail, Throwable cause) {
    super(detail + "; site=" + site + " reason=" + reason, cause);
    this.site = site;
    this.reason = reason;
  }

  /** As the other constructor, without a cause. */
  public SiteException(String site, Reason reason, String detail) {
    super(detail + "; site=" + site + " reason=" + reason);
    this.site = site;
    this.reason = reason;
  }

  /** The site's name. */
  public String site() {
    return site;
  }

  /** Why. */
  public Reason reason() {
    return reason;
  }
}
