package io.ensemble.site;

import org.jspecify.annotations.Nullable;

/**
 * A site did not perform a request. {@link #reason()} gives the cause, on which the remedy depends.
 * {@link #isNotSent()} says whether the request certainly had no effect because it never left this
 * process.
 */
public final class SiteException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** The cause of the failure. */
  public enum Reason {
    /** No connection; the request was not sent, or its outcome is unknown. */
    UNREACHABLE,
    /** No response in time; the request may have been performed, or may still be. */
    TIMED_OUT,
    /** The store is lost: the site lost its memory, or the store was closed on purpose. */
    STORE_LOST,
    /**
     * The store's cache was deleted; a cache that has its name now is another one. No request was
     * sent.
     */
    DELETED,
    /**
     * The store is in DEGRADED mode (partition handling): too few of its nodes are available. The
     * mode ends when the nodes return. If the lost nodes held the last copies, it never ends. The
     * request may have been performed.
     */
    DEGRADED,
    /** Authentication failed, permission is missing, or the TLS handshake failed. */
    NOT_ALLOWED,
    /** The site cannot provide the guarantees of a store of this kind. */
    UNSUITABLE,
    /** Too many requests are in progress at this site; the request was not sent. */
    BUSY,
    /** The site answered with an error; the request may have been performed. */
    FAILED
  }

  private final String site;
  private final Reason reason;
  private final String detail;
  private final boolean notSent;

  /**
   * A request that the site may have received, as far as the reason implies.
   *
   * @param site the site's name
   * @param reason the cause
   * @param detail what was required, and what was received
   */
  public SiteException(String site, Reason reason, String detail, Throwable cause) {
    this(site, reason, detail, cause, false);
  }

  /** A request that the site may have received, without a cause. */
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

  /** A request that was not sent to the site, and never will be. */
  public static SiteException notSent(String site, Reason reason, String detail) {
    return new SiteException(site, reason, detail, null, true);
  }

  /** A request that was not sent to the site, and never will be, with a cause. */
  public static SiteException notSent(String site, Reason reason, String detail, Throwable cause) {
    return new SiteException(site, reason, detail, cause, true);
  }

  /**
   * The same failure for the replica called {@code name} at the site; this failure is its cause.
   */
  SiteException forReplica(String name) {
    return new SiteException(name, reason, detail, this, notSent);
  }

  /** The name of the site, or of the replica there. */
  public String site() {
    return site;
  }

  /** The cause of the failure. */
  public Reason reason() {
    return reason;
  }

  /**
   * Whether the request certainly was not sent, and never will be. False implies nothing: the
   * request may have been performed, or may not have been sent either.
   */
  public boolean isNotSent() {
    return notSent;
  }
}
