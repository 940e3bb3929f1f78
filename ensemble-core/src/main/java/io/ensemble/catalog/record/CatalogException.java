package io.ensemble.catalog.record;

/** An operation on the catalog failed. {@link #reason()} determines the remedy. */
public class CatalogException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** The reason of the failure. */
  public enum Reason {
    /** The cache exists with other settings. */
    EXISTS,
    /** Another process changed the record meanwhile, repeatedly. A retry is safe. */
    CHANGED,
    /** The record cannot be read; an operator has to repair it. */
    CORRUPT,
    /** The catalog cannot be reached or written; a write has not been done. A retry is safe. */
    UNAVAILABLE,
    /** The answer to a change was lost: it may have been made, or not. Read before repeating it. */
    UNKNOWN,
    /** The catalog belongs to another user than that of this process. Nothing was done. */
    NOT_ALLOWED
  }

  private final Reason reason;

  /**
   * @param reason the reason of the failure
   * @param detail the expected and the actual value, and the place
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

  /** The reason of the failure. */
  public Reason reason() {
    return reason;
  }
}
