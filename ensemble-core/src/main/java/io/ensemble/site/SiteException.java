package io.ensemble.site;

import org.jspecify.annotations.Nullable;

/**
 * A site did not do what it was asked. {@link #reason()} says what may be done about it, {@link
 * #isNotSent()} whether the request certainly was without effect because it never left this
 * process.
 */
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
    /** The store's cache was deleted; what has its name now is another. Nothing was sent. */
    DELETED,
    /**
     * The store has too few of its nodes and refuses everyone: until they are back or, when those
     * that went held the last copies, for good. The request may have been performed.
     */
    DEGRADED,
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
  private final String detail;
  private final boolean notSent;

  /**
   * Of a request that the site may have got, as far as the reason tells.
   *
   * @param site the site's name
   * @param reason why
   * @param detail what was wanted, what came
   */
  public SiteException(String site, Reason reason, String detail, Throwable cause) {
    this(site, reason, detail, cause, false);
  }

  /** As the other constructor, without a cause. */
  public SiteException(String site, Reason reason, String detail) {
    this(site, reason, detail, null, false);
  }

  private SiteException(
      String site, Reason reason, String detail, @Nullable Throwable cause, boolean notSent) {
    super(detail + "; site=" + site + " reason=" + reason, cause);
    this.site = site;
    this.reason = reason;
    this.detail = detail;
    this.notSent = notSent || reason == Reason.BUSY;
  }

  /** Of a request that was not sent to the site, and never will be. */
  public static SiteException notSent(String site, Reason reason, String detail) {
    return new SiteException(site, reason, detail, null, true);
  }

  /** As the other method, with a cause. */
  public static SiteException notSent(String site, Reason reason, String detail, Throwable cause) {
    return new SiteException(site, reason, detail, cause, true);
  }

  /** The same failure, of the replica called {@code name} at the site; this is its cause. */
  SiteException forReplica(String name) {
    return new SiteException(name, reason, detail, this, notSent);
  }

  /** The name of the site, or of the replica there. */
  public String site() {
    return site;
  }

  /** Why. */
  public Reason reason() {
    return reason;
  }

  /**
   * Whether the request certainly was not sent, and never will be. False says nothing: it may have
   * been performed, or not have been sent either.
   */
  public boolean isNotSent() {
    return notSent;
  }
}
