package io.ensemble;

/** A stream of changes ended because it would have needed more memory than its limits allow. */
public final class ListenLimitException extends EnsembleException {

  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public ListenLimitException(String what, String cache) {
    super(what, cache, "");
  }
}
