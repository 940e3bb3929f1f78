package io.ensemble.tree.runtime;

import io.ensemble.tree.state.PageId;

/** A page is not in the store: it was replaced and removed, or lost. */
public final class MissingPageException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private MissingPageException(PageId id) {
    super("page " + id + " is missing");
  }

  /** The failure of a read of that page. */
  public static MissingPageException of(PageId id) {
    return new MissingPageException(id);
  }
}
