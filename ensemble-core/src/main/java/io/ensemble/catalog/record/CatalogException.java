package io.ensemble.catalog.record;

/** The catalog could not do what it was asked. {@link #reason()} says what may be done about it. */
public class CatalogException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** Why. */
  public enum Reason {
    /** The cache is there with other settings. */
    EXISTS,
    /** Somebody else changed the record meanwhile, again and again; retrying is safe. */
    CHANGED,
    /** The record cannot be read; somebody has to look at it. */
    CORRUPT,
    /** The catalog cannot be reached or written; a write has not been done. Retrying is safe. */
    UNAVAILABLE,
    /**
     * The answer to a change was lost: it may have been made, or not. Read before it is repeated.
     */
    UNKNOWN,
    /** The catalog has an owner, and we are somebody else. Nothing was done. */
    NOT_ALLOWED
  }

  private final Reason reason;

  /**
   * @param reason why
   * @param detail what was wanted, what came, where
   */
  public CatalogException(Reason reason, String detail) {
    super(detail);
    this.reason = reason;
  }

  /** As the other constructor, with a cause. */
  public CatalogException(Reason reason, String detail, Throwable cause) {
    super(detail, cause);
    this.reason = reason;
  }

  /** Why. */
  public Reason reason() {
    return reason;
  }
}
